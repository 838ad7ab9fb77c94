#!/bin/sh
# Makes the packages of a Debian a machine: no password, the services it needs, nothing that only costs time.
set -eu

echo LANG=C.UTF-8 > /etc/default/locale
: > /etc/machine-id
systemctl enable systemd-networkd.service ssh.service
rm -rf /usr/share/doc /usr/share/info /usr/share/man /usr/share/locale
