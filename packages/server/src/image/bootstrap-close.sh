#!/bin/sh
# Run by mmdebstrap at the end: removes what no two machines may have in common and what differs from build to build.
set -eu
cd "$1"
rm -f etc/ssh/ssh_host_* etc/apt/sources.list etc/apt/apt.conf.d/99mmdebstrap etc/dpkg/dpkg.cfg.d/99mmdebstrap
rm -f var/lib/dbus/machine-id var/lib/systemd/random-seed var/lib/systemd/credential.secret
rm -f etc/passwd- etc/group- etc/shadow- etc/gshadow- etc/subuid- etc/subgid- etc/.pwd.lock
rm -rf slipway-boot var/lib/apt/lists/* var/cache/apt/*
rm -f var/lib/dpkg/*-old var/cache/debconf/*-old var/cache/ldconfig/aux-cache
find var/log -type f -delete
find tmp var/tmp run -mindepth 1 -xdev -delete 2>/dev/null || true
rm -f etc/resolv.conf.mmdebstrap
# Nobody reads them over SSH; `apt-get install --reinstall` brings those of a package back.
rm -rf usr/share/doc usr/share/info usr/share/man usr/share/locale
mkdir usr/share/doc usr/share/info usr/share/man usr/share/locale
aside=var/lib/slipway-aside
if [ -d "$aside" ]; then
  rm -f etc/hostname etc/resolv.conf
  cp -a "$aside/." .
  rm -rf "$aside"
fi
