#!/bin/sh
# Run by mmdebstrap when the packages are in: the files of the recipe, and what it does itself, in the image and without
# network.
set -eu
[ -z "${SLIPWAY_FILES:-}" ] || tar --extract --file="$SLIPWAY_FILES" --directory="$1" --numeric-owner
[ -e "$SLIPWAY_RECIPE/build.sh" ] || exit 0
cp "$SLIPWAY_RECIPE/build.sh" "$1/slipway-build.sh"
# A network of its own has nothing but the loopback device.
unshare --net -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
  LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
  chroot "$1" sh -c 'ip link set lo up 2>/dev/null; exec sh /slipway-build.sh'
rm "$1/slipway-build.sh"
