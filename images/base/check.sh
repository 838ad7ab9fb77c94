# Runs in a guest of the finished image: see README.md of this folder's parent.
set -eu
. /etc/os-release && echo "$PRETTY_NAME, kernel $(uname -r)"
test "$(hostname)" = slipway-check
test "$(stat -c %a /etc/ssh/ssh_host_ed25519_key)" = 600
test "$(systemctl is-system-running --wait)" = running || { systemctl --failed --no-legend; exit 1; }
systemctl is-active qemu-guest-agent
# The root file system fills its disk.
disk=$(lsblk -bno SIZE /dev/vda)
test "$(df -B1 --output=size / | tail -n 1)" -gt $((disk / 10 * 9))
# Modules of the running kernel, packages, time.
modprobe overlay
dpkg --audit && apt-get check -q
ls -l /dev/disk/by-id/virtio-root
