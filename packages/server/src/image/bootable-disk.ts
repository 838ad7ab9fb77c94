/**
 * One disk that a BIOS starts from, made of a boot image: what a host gives QEMU beside the disk (kernel, RAM disk and
 * command line) lies in its file system, and GRUB starts it from there.
 *
 * The disk has no partitions: the root file system fills it from its first byte to its last as it does on one host, so it
 * grows with the disk by the same means, and the guest notices no difference. ext4 leaves its first two sectors alone;
 * there GRUB's first stage stands, which loads the rest of GRUB by its place on the disk. The file that has this place
 * is immutable, so nothing moves it. Sources: GRUB manual, "Images" and "BIOS installation"; ext4 documentation, "Layout".
 */
import { copyFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../lib/command.ts'
import { type BootImage, ImageError } from './boot-image.ts'
import { changeExt4 } from './ext4.ts'

/** GRUB's first stage, of Debian's package grub-pc-bin. */
const GRUB_FIRST_STAGE = '/usr/lib/grub/i386-pc/boot.img'

/** Programs and files of this machine that {@link makeBootableDisk} takes. */
export const bootableDiskTools = ['qemu-img', 'debugfs', 'e2fsck', 'grub-mkimage', GRUB_FIRST_STAGE]

/** Raise it when the same image would make another disk. */
export const BOOTABLE_SHAPE = 1

const SECTOR = 512
/** Of the file systems that we make. */
const BLOCK = 4096
/** Where boot.img keeps the first sector of the second stage. */
const NEXT_STAGE_AT = 0x5c
/** What of the first sector is code; a partition table would follow. */
const CODE_BYTES = 440
/** The last entry of the list of places at the end of the second stage's first sector; further ones stand before it. */
const LAST_PLACE_AT = SECTOR - 12
const MOST_PLACES = 8
/** Where the second stage goes in memory after its first sector, in paragraphs of 16 bytes. */
const LOADED_AT = 0x820

const FOLDER = '/boot/slipway'
/** ext4's flags for a file in extents that nobody changes or moves. */
const IMMUTABLE = '0x80010'

const MODULES = ['biosdisk', 'ext2', 'linux', 'boot']

export interface BootableWork {
  /** An empty directory. */
  workDir: string
  signal: AbortSignal
}

/**
 * Leaves the disk in the work directory, as a compressed qcow2 file that stands by itself, and resolves with its path and
 * its size as guests see it. An image that boots from its disk already stays as it is.
 */
export async function makeBootableDisk(
  image: BootImage,
  { workDir, signal }: BootableWork,
): Promise<{ path: string; virtualBytes: number }> {
  const raw = join(workDir, 'disk.raw')
  const path = join(workDir, 'disk.qcow2')
  await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', image.disk, raw], { signal })
  const { kernel, initrd, cmdline } = image
  if (kernel !== undefined && initrd !== undefined && cmdline !== undefined)
    await plantBoot(raw, { kernel, initrd, cmdline }, workDir, signal)
  const packed = ['-c', '-O', 'qcow2', '-o', 'compat=1.1']
  await run('qemu-img', ['convert', '-f', 'raw', ...packed, raw, path], { signal })
  const file = await open(raw)
  const { size: virtualBytes } = await file.stat().finally(() => file.close())
  await rm(raw)
  return { path, virtualBytes }
}

async function plantBoot(
  raw: string,
  boot: { kernel: string; initrd: string; cmdline: string },
  workDir: string,
  signal: AbortSignal,
): Promise<void> {
  const contents = join(workDir, 'boot')
  await mkdir(contents)
  await copyFile(boot.kernel, join(contents, 'vmlinuz'))
  await copyFile(boot.initrd, join(contents, 'initrd'))
  await writeFile(join(contents, 'start.cfg'), startOf(boot.cmdline))
  const core = ['-O', 'i386-pc', '-o', 'core.img', '-p', FOLDER, '-c', 'start.cfg', ...MODULES]
  await run('grub-mkimage', core, { cwd: contents, signal })

  const files = ['vmlinuz', 'initrd', 'core.img']
  const commands = [
    ...(await missingFolders(raw, signal)).map((folder) => `mkdir ${folder}`),
    ...files.flatMap((name) => [`write ${name} ${FOLDER}/${name}`, `sif ${FOLDER}/${name} mode 0100644`]),
    `sif ${FOLDER}/core.img flags ${IMMUTABLE}`,
  ]
  await changeExt4(raw, commands, contents, { signal })

  const stage = await readFile(join(contents, 'core.img'))
  const text = await run('debugfs', ['-R', `blocks ${FOLDER}/core.img`, raw], { signal })
  const places = placesOf(text.trim().split(/\s+/).map(Number), stage.length)
  const file = await open(raw, 'r+')
  try {
    const { first, second } = stagesAt(places, await readFile(GRUB_FIRST_STAGE), stage)
    await file.write(first, 0, SECTOR, 0)
    await file.write(second, 0, SECTOR, (places[0]?.sector ?? 0) * SECTOR)
    await file.sync()
  } finally {
    await file.close()
  }
  await rm(contents, { recursive: true })
}

/** What GRUB does once it runs. */
function startOf(cmdline: string): string {
  // A BIOS calls the disk it starts from the first one.
  const lines = ['set root=(hd0)', `linux ${FOLDER}/vmlinuz ${cmdline}`, `initrd ${FOLDER}/initrd`, 'boot']
  return `${lines.join('\n')}\n`
}

/** debugfs makes no folder twice. */
async function missingFolders(raw: string, signal: AbortSignal): Promise<string[]> {
  const listing = await run('debugfs', ['-R', 'ls -p /', raw], { signal })
  return listing.includes('/boot/') ? [FOLDER] : ['/boot', FOLDER]
}

/** Sectors that follow each other on the disk. */
export interface Place {
  sector: number
  sectors: number
}

/** Where a file of so many bytes lies, by the numbers of its blocks. */
export function placesOf(blocks: readonly number[], bytes: number): Place[] {
  if (blocks.length !== Math.ceil(bytes / BLOCK) || blocks.some((block) => !(block > 0)))
    throw new ImageError('The boot loader could not be found on its disk.')
  const places: Place[] = []
  let left = Math.ceil(bytes / SECTOR)
  for (const block of blocks) {
    const [sector, sectors] = [(block * BLOCK) / SECTOR, Math.min(BLOCK / SECTOR, left)]
    const last = places.at(-1)
    if (last && last.sector + last.sectors === sector) last.sectors += sectors
    else places.push({ sector, sectors })
    left -= sectors
  }
  return places
}

/** The first sectors of both stages with the places where what comes next is. */
export function stagesAt(
  places: readonly Place[],
  firstStage: Buffer,
  secondStage: Buffer,
): { first: Buffer; second: Buffer } {
  const [start] = places
  if (start === undefined || places.length > MOST_PLACES)
    throw new ImageError('The boot loader lies in too many pieces on its disk.')
  const first = Buffer.alloc(SECTOR)
  first.set(firstStage.subarray(0, CODE_BYTES))
  first.writeBigUInt64LE(BigInt(start.sector), NEXT_STAGE_AT)
  first.writeUInt16BE(0x55aa, SECTOR - 2)

  const second = Buffer.from(secondStage.subarray(0, SECTOR))
  // The first sector is loaded by the first stage, and loads the rest.
  const rest = [{ sector: start.sector + 1, sectors: start.sectors - 1 }, ...places.slice(1)]
  let at = LAST_PLACE_AT
  let segment = LOADED_AT
  for (const { sector, sectors } of rest.filter((place) => place.sectors > 0)) {
    second.writeBigUInt64LE(BigInt(sector), at)
    second.writeUInt16LE(sectors, at + 8)
    second.writeUInt16LE(segment, at + 10)
    segment += (sectors * SECTOR) / 16
    at -= 12
  }
  // An entry of no sectors ends the list.
  second.fill(0, at, at + 12)
  return { first, second }
}
