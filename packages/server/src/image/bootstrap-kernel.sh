#!/bin/sh
# Run by mmdebstrap with the tree of a Debian: puts in the modules of its kernel, and leaves in /slipway-boot what the
# machine starts with. The kernel is unpacked, not installed: it lies beside the disk, so apt must not replace it.
set -eu
root=$1
mkdir "$root/slipway-boot"
cd "$root/slipway-boot"
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
kernel=$(apt-cache depends --important "$SLIPWAY_KERNEL" | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
[ -n "$kernel" ] || { echo "E: There is no kernel behind $SLIPWAY_KERNEL" >&2; exit 1; }
apt-get download -q -o APT::Sandbox::User=root "$kernel" busybox-static
dpkg-deb --extract linux-image-*.deb "$root"
rm -f "$root"/boot/vmlinuz-* "$root"/boot/System.map-*
chroot "$root" depmod "${kernel#linux-image-}"
