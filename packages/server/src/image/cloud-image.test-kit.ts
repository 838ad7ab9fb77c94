import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../lib/command.ts'
import { makeExt4 } from './ext4.ts'
import { applyChanges, listingOf } from './ext4-changes.ts'
import { withTar } from './tar.ts'

/** GRUB's first stage, of Debian's package grub-pc-bin. */
const GRUB_BOOT = '/usr/lib/grub/i386-pc/boot.img'

const isRoot = process.getuid?.() === 0

/** What {@link debianCloudImage} takes, for `describeWith`. */
export const cloudImageTools = [
  ...['mmdebstrap', 'grub-mkimage', GRUB_BOOT, 'mke2fs', 'debugfs', 'qemu-img', 'unshare'],
  ...(isRoot ? [] : ['newuidmap']),
]

const SUITE = 'trixie'
const PACKAGES = [
  ...['linux-image-cloud-amd64', 'initramfs-tools', 'zstd', 'systemd-sysv', 'udev', 'dbus', 'iproute2'],
  ...['cloud-init', 'cloud-guest-utils', 'fdisk', 'e2fsprogs', 'openssh-server'],
]
const ROOT_MB = 700
const SECTOR = 512
/** Where partitions begin by custom; what comes before has room for GRUB. */
const FIRST_SECTOR = 2048

/** What takes a translated guest seconds and adds nothing to what is tested. */
const NOT_STARTED = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer', 'e2scrub_all.timer'],
  ...['e2scrub_reap.service', 'fstrim.timer', 'getty@tty1.service', 'ldconfig.service', 'modprobe@.service'],
  ...['dev-hugepages.mount', 'dev-mqueue.mount', 'sys-kernel-config.mount', 'sys-kernel-debug.mount'],
  ...['sys-kernel-tracing.mount', 'sys-fs-fuse-connections.mount', 'systemd-binfmt.service'],
  ...['proc-sys-fs-binfmt_misc.automount', 'systemd-pstore.service', 'systemd-journal-flush.service'],
  ...['systemd-update-utmp.service', 'systemd-random-seed.service', 'systemd-hwdb-update.service'],
  ...['systemd-journal-catalog-update.service', 'kmod-static-nodes.service', 'cloud-init-hotplugd.socket'],
]

/**
 * Quick under translation, and no clock that is found wanting because the host is busy. A kernel that panics tries again: it
 * would be waited for until the test gives up.
 */
const KERNEL_OPTIONS = 'quiet tsc=reliable no_timer_check rcupdate.rcu_expedited=1 panic=1'

/** Run once the packages are unpacked, before they are set up. */
const BEFORE_SETUP = `
mkdir -p "$1/etc/initramfs-tools/conf.d"
printf 'MODULES=list\\nCOMPRESS=zstd\\n' > "$1/etc/initramfs-tools/conf.d/small"
printf 'virtio_pci\\nvirtio_blk\\next4\\n' > "$1/etc/initramfs-tools/modules"
`

/** Those modules of cloud-init that the seed or the user data of a test speaks to; each of the others costs a translated guest some more. */
const CLOUD_INIT = `datasource_list: [NoCloud]
cloud_init_modules: [growpart, resizefs, write_files, set_hostname, update_hostname, users_groups, ssh]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts_per_boot, scripts_user]
`

const AFTER_SETUP = `
cd "$1"
printf '%s' '${CLOUD_INIT}' > etc/cloud/cloud.cfg.d/90-small.cfg
echo '/dev/vda1 / ext4 defaults 0 0' > etc/fstab
chroot . systemctl --quiet enable systemd-networkd
for unit in ${NOT_STARTED.join(' ')}; do ln -sf /dev/null "etc/systemd/system/$unit"; done
rm -f etc/ssh/ssh_host_*
: > etc/machine-id
mkdir -p boot/grub
cat > boot/grub/grub.cfg <<.
linux /$(echo boot/vmlinuz-*) root=/dev/vda1 ro console=ttyS0 ${KERNEL_OPTIONS}
initrd /$(echo boot/initrd.img-*)
boot
.
`

/**
 * A Debian as its makers would publish it for clouds, made from Debian's packages: a compressed qcow2 image that GRUB
 * starts from its disk and that configures itself by cloud-init. Made once and kept in `.cache/` of the repository,
 * under a name that changes with this file. Resolves with its path.
 */
export async function debianCloudImage(): Promise<string> {
  const own = await readFile(fileURLToPath(import.meta.url))
  const version = createHash('sha256').update(own).digest('hex').slice(0, 16)
  const dir = fileURLToPath(new URL('../../../../.cache/cloud-images/', import.meta.url))
  const image = join(dir, `${version}.qcow2`)
  if (await stat(image).catch(() => null)) return image
  // Those of earlier versions, and what a killed run left.
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  const work = await mkdtemp(join(dir, 'work-'))
  try {
    const startedAt = performance.now()
    await bootstrap(work)
    const disk = join(work, 'disk.raw')
    await writeFile(disk, '')
    await writeRoot(disk, work)
    await writeBootLoader(disk, work)
    const packed = join(work, 'disk.qcow2')
    const options = ['-c', '-o', 'compression_type=zstd']
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', ...options, disk, packed])
    await rename(packed, image)
    console.log(`Made a Debian cloud image in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    return image
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Leaves the root file system as `tree.tar`. */
async function bootstrap(work: string): Promise<void> {
  const unneeded = ['man', 'doc', 'locale', 'info', 'i18n'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  )
  // In namespaces of its own, so that nothing it mounts or starts outlives it.
  const apart = ['--mount', '--pid', '--fork', '--kill-child']
  const asRoot = isRoot ? apart : ['--map-root-user', '--map-auto', ...apart]
  await run(
    'unshare',
    [
      ...[...asRoot, '--', 'mmdebstrap', '--mode=root', '--quiet', '--variant=minbase'],
      ...['--aptopt=APT::Install-Recommends "false"', '--dpkgopt=force-unsafe-io', ...unneeded],
      ...[`--include=${PACKAGES.join(',')}`],
      ...[`--essential-hook=${BEFORE_SETUP}`, `--customize-hook=${AFTER_SETUP}`],
      ...[SUITE, 'tree.tar', 'http://deb.debian.org/debian'],
    ],
    { cwd: work, env: { TMPDIR: work }, timeoutMs: 1_200_000, ownGroup: true },
  )
}

/** Puts a file system with that content where the first partition is. */
async function writeRoot(disk: string, work: string): Promise<void> {
  const part = join(work, 'root.raw')
  await makeExt4(part, ROOT_MB)
  await withTar(join(work, 'tree.tar'), async (tar) =>
    applyChanges(part, new Map(), await listingOf(tar), tar, work),
  )
  const place = [`seek=${FIRST_SECTOR * SECTOR}`, 'oflag=seek_bytes', 'conv=notrunc,sparse', 'bs=1M']
  await run('dd', [`if=${part}`, `of=${disk}`, ...place, 'status=none'])
  await rm(part)
}

/**
 * What `grub-install` would do: its first stage and a table of one partition in the first sector, the rest of it in
 * those that follow. Offsets: GRUB manual, "BIOS installation"; the table is that of every MBR.
 */
async function writeBootLoader(disk: string, work: string): Promise<void> {
  const early = ['set root=(hd0,msdos1)', 'set prefix=($root)/boot/grub', 'configfile $prefix/grub.cfg']
  await writeFile(join(work, 'early.cfg'), `${early.join('\n')}\n`)
  const modules = ['biosdisk', 'part_msdos', 'ext2', 'normal', 'linux', 'configfile', 'boot']
  const core = ['-O', 'i386-pc', '-o', 'core.img', '-p', '/boot/grub', '-c', 'early.cfg', ...modules]
  await run('grub-mkimage', core, { cwd: work })

  const first = Buffer.alloc(SECTOR)
  first.set((await readFile(GRUB_BOOT)).subarray(0, 440))
  const partition = first.subarray(446, 462)
  partition[0] = 0x80 // to be started from
  partition[4] = 0x83 // Linux
  partition.writeUInt32LE(FIRST_SECTOR, 8)
  partition.writeUInt32LE((ROOT_MB * 1024 * 1024) / SECTOR, 12)
  first.writeUInt16BE(0x55aa, 510)
  const file = await open(disk, 'r+')
  try {
    await file.write(first, 0, SECTOR, 0)
    await file.writev([await readFile(join(work, 'core.img'))], SECTOR)
    await file.truncate(FIRST_SECTOR * SECTOR + ROOT_MB * 1024 * 1024)
  } finally {
    await file.close()
  }
}
