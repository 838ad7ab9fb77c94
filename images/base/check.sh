#!/bin/sh
# Whether this is a whole Debian that can be administered.
set -eu

. /etc/os-release
echo "$PRETTY_NAME, kernel $(uname -r)"
[ -d "/lib/modules/$(uname -r)" ]
[ "$(hostname)" = "$(cat /etc/hostname)" ]
[ "$(ls /etc/ssh/ssh_host_*_key)" = /etc/ssh/ssh_host_ed25519_key ]
[ -z "$(awk -F: '$2 !~ /^[!*]/' /etc/shadow)" ]

tries=0
until state=$(systemctl is-system-running) || [ "$state" = degraded ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { echo "The system is still $state"; exit 1; }
  sleep 1
done
echo "The system is $state"
systemctl --failed --no-legend
[ "$state" = running ]

[ -e /dev/disk/by-id/virtio-root ]
# Data disks of a cluster come by SCSI.
[ -e /sys/bus/virtio/drivers/virtio_scsi ]
[ -e /sys/bus/scsi/drivers/sd ]
[ -e /dev/virtio-ports/org.qemu.guest_agent.0 ]
systemctl is-active ssh systemd-networkd systemd-logind qemu-guest-agent
ip -4 -brief address show eth0
dpkg --audit
apt-get check -qq
echo "$(dpkg-query --show | wc -l) packages"
