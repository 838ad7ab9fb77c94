# Runs in a guest of the finished image: see images/README.md.
set -eu
uname -r
busybox | head -n 1
dropbear -V 2>&1
test "$(hostname)" = slipway-check
test -s /etc/dropbear/dropbear_ed25519_host_key
ls -l /dev/disk/by-id/virtio-root
# Data disks of a cluster come by SCSI.
ls -d /sys/bus/virtio/drivers/virtio_scsi /sys/bus/scsi/drivers/sd
for tool in mkfs.ext4 resize2fs qemu-ga; do command -v "$tool"; done
# The root disk takes writes.
echo written > /root/check && test "$(cat /root/check)" = written
