#!/bin/sh
# Makes the packages of a Debian a machine: no password, its services, nothing that only costs time. docs/adr/0008 has
# what each measure gains; `systemctl unmask` and `systemctl enable` bring back what is off here.
set -eu

echo LANG=C.UTF-8 > /etc/default/locale
# Written by the RAM disk, from what the network says.
ln -sf ../run/resolv.conf /etc/resolv.conf
: > /etc/motd
rm -f /etc/update-motd.d/10-uname
: > /etc/machine-id

systemctl set-default multi-user.target
systemctl enable systemd-networkd.service ssh.service serial-getty@ttyS0.service slipway-power-button.service \
  slipway-start-script.service
systemctl disable apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
  getty@tty1.service systemd-networkd-wait-online.service

# What would only find out that there is nothing for it in a virtual machine of this shape.
systemctl mask systemd-pstore.service systemd-network-generator.service systemd-hibernate-clear.service \
  systemd-tpm2-setup-early.service systemd-tpm2-setup.service systemd-pcrmachine.service \
  systemd-pcrphase-sysinit.service systemd-pcrphase.service systemd-udev-load-credentials.service \
  systemd-networkd-persistent-storage.service sshd-keygen.service \
  systemd-ask-password-console.path systemd-ask-password-wall.path run-lock.mount
# The host's random numbers come through virtio-rng at every start.
systemctl mask systemd-random-seed.service
# File systems for debugging, to be mounted by who needs them.
systemctl mask sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount sys-fs-fuse-connections.mount \
  dev-hugepages.mount modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service

# Generators that look for hardware and settings no such machine has; fstab and init scripts keep theirs.
mkdir -p /etc/systemd/system-generators
for name in debug getty gpt-auto hibernate-resume rc-local run ssh system-update tpm2; do
  ln -s /dev/null "/etc/systemd/system-generators/systemd-$name-generator"
done

# The rest of the system starts once SSH answers.
for unit in systemd-journald.service systemd-udevd.service systemd-udev-trigger.service systemd-sysctl.service \
  systemd-tmpfiles-setup-dev-early.service systemd-tmpfiles-setup-dev.service systemd-tmpfiles-setup.service \
  systemd-modules-load.service systemd-remount-fs.service kmod-static-nodes.service tmp.mount dev-mqueue.mount; do
  mkdir -p "/etc/systemd/system/$unit.d"
  printf '[Unit]\nAfter=ssh.service\n' > "/etc/systemd/system/$unit.d/after-ssh.conf"
done

# The size in sectors that the file system fills already: rootSizeMb of recipe.json.
mkdir -p /var/lib/slipway
echo $((20480 * 2048)) > /var/lib/slipway/disk-size

# Nothing of what an update of /usr would ask for is due.
/usr/lib/systemd/systemd-update-done
