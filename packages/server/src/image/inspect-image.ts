import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { CommandError, errorCode } from '../lib/command.ts'
import { type Box, isUnable, runBoxed } from './import-box.ts'
import { hostIsFull, ImportError, inWords, unable } from './import-error.ts'

export interface InspectLimits {
  maxVirtualBytes: number
  signal: AbortSignal
}

export interface Inspected {
  format: 'raw' | 'qcow2' | 'vmdk'
  virtualBytes: number
}

/**
 * Decides whether a file from elsewhere may be used as a disk image. QEMU's formats can name other files, which QEMU
 * would then read from the host and hand to whoever owns the disk; so nothing may be done with an image before this
 * said yes. The rule:
 *
 * 1. The format is told by the first bytes, read here, and is named to QEMU in every call: QEMU's own guess can be
 *    led on by a guest that writes a header into its raw disk. What is no known format is raw, so are ISO files.
 * 2. Refused are formats that are descriptions of other files, packed files, web pages and empty files.
 * 3. Refused is what names any file but itself: a backing file, an external data file, an extent of a VMDK.
 * 4. Refused is what is encrypted, larger than the limit, damaged, or ends too early.
 *
 * The file has to stand in a directory that was given to the box. Throws ImportErrors.
 */
export async function inspectImage(path: string, limits: InspectLimits): Promise<Inspected> {
  const format = formatOf(await firstBytes(path, 4096))
  const name = basename(path)
  const args = ['info', '--output=json', '-f', format, name]
  const info = Info.parse(JSON.parse(await qemuImg(path, args, limits)))
  const details = info['format-specific']?.data

  if (info['backing-filename'] !== undefined || info['full-backing-filename'] !== undefined) {
    throw buildsOnAnother()
  }
  if (details?.['data-file'] !== undefined) {
    throw keepsDataElsewhere()
  }
  if (format === 'vmdk' && (details?.extents ?? [{}]).some(({ filename }) => filename !== name)) {
    throw new ImportError('The image consists of several files. Convert it into a single file.')
  }
  if (info.encrypted === true || details?.encrypt !== undefined) {
    throw encrypted()
  }
  const virtualBytes = info['virtual-size']
  requireSize(virtualBytes, limits.maxVirtualBytes)
  if (format !== 'raw') await check(format, path, limits)
  return { format, virtualBytes }
}

/** Throws an ImportError for a disk of a size that none may have. */
export function requireSize(virtualBytes: number, maxVirtualBytes: number): void {
  if (virtualBytes > maxVirtualBytes) {
    throw new ImportError(`The disk in the image is larger than the limit of ${inWords(maxVirtualBytes)}.`)
  }
  if (virtualBytes === 0) throw new ImportError('The disk in the image has a size of zero.')
}

export const buildsOnAnother = () =>
  new ImportError('The image depends on another file (a backing file). Flatten it first.')

export const keepsDataElsewhere = () =>
  new ImportError('The image stores its data in another file. Convert it into a single file.')

export const encrypted = () => new ImportError('The image is encrypted.')

/** What `qemu-img info` tells (QAPI `ImageInfo`), as far as it matters here. */
const Info = z.object({
  'virtual-size': z.number(),
  'backing-filename': z.unknown().optional(),
  'full-backing-filename': z.unknown().optional(),
  encrypted: z.boolean().optional(),
  'format-specific': z
    .object({
      data: z.object({
        'data-file': z.unknown().optional(),
        encrypt: z.unknown().optional(),
        extents: z.array(z.object({ filename: z.string().optional() })).optional(),
      }),
    })
    .optional(),
})

/** Refuses an image whose own tables contradict each other or that ends before its data does. */
async function check(format: string, path: string, limits: InspectLimits): Promise<void> {
  // Leaked clusters only waste room; the copy that is made has none.
  await qemuImg(path, ['check', '-q', '-f', format, basename(path)], limits, { fine: 3 })
}

/** Makes a qcow2 file of an image that passed {@link inspectImage}, beside it and with nothing taken over but data. */
export async function convertImage(
  path: string,
  format: Inspected['format'],
  name: string,
  limits: InspectLimits,
): Promise<void> {
  await qemuImg(path, ['convert', '-q', '-f', format, '-O', 'qcow2', basename(path), name], limits)
}

/** The first bytes of the disk in a qcow2 file that {@link convertImage} made, fewer where the disk is smaller. */
export async function readStart(path: string, bytes: number, limits: InspectLimits): Promise<Buffer> {
  const start = 'start'
  const copy = ['bs=512', `count=${bytes / 512}`, `if=${basename(path)}`, `of=${start}`]
  await qemuImg(path, ['dd', '-f', 'qcow2', '-O', 'raw', ...copy], limits)
  return firstBytes(join(dirname(path), start), bytes)
}

/** Runs qemu-img in the box; what it complains about is the image. `fine` is a status that is no complaint. */
async function qemuImg(
  path: string,
  args: readonly string[],
  { signal, maxVirtualBytes }: InspectLimits,
  { fine = 0 } = {},
): Promise<string> {
  const box: Box = {
    cwd: dirname(path),
    signal,
    timeoutMs: HOUR_MS,
    // Measured: 200 MB are enough to convert compressed images, with a thread for each of many parts; 100 MB are not.
    memoryBytes: 1024 * 1024 * 1024,
    // A qcow2 file that is full takes a little more than its disk has room.
    maxFileBytes: Math.ceil(maxVirtualBytes * 1.01) + 64 * 1024 * 1024,
  }
  try {
    return await runBoxed('qemu-img', args, box)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CommandError && error.status === fine) return ''
    if (errorCode(error) === 'ENOSPC') throw hostIsFull(error)
    if (isUnable(error)) throw unable(error)
    throw damaged(error)
  }
}

const HOUR_MS = 3_600_000

const damaged = (cause?: unknown) => new ImportError('The image is damaged or incomplete.', { cause })

/** The format, by the first 4096 bytes of the file. Throws an ImportError for what cannot be a disk image. */
export function formatOf(start: Buffer): Inspected['format'] {
  if (start.length === 0) throw new ImportError('The file is empty.')
  const begins = (magic: string) => start.subarray(0, magic.length).equals(Buffer.from(magic, 'latin1'))
  if (begins('QFI\xfb')) return 'qcow2'
  if (begins('KDMV')) return 'vmdk'
  for (const [magic, what] of NOT_USABLE) if (begins(magic)) throw notUsable(what)
  if (start.toString('latin1', 257, 262) === 'ustar') throw notUsable('a tar archive')
  if (start.length > 68 && start.readUInt32LE(64) === VDI_MAGIC) throw notUsable('a VDI image')
  const text = start
    .toString('latin1', 0, 4096)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(text)) {
    throw new WebPage()
  }
  if (text.startsWith('# Disk DescriptorFile')) throw notUsable('a description of other files (VMDK)')
  return 'raw'
}

/** What a site sends in place of an image. */
export class WebPage extends ImportError {
  constructor() {
    super('The URL points to a web page, not to an image. The site may require a login.')
  }
}

const notUsable = (what: string) =>
  new ImportError(`The file is ${what}, which is not supported. Use a qcow2, raw, VMDK or ISO image.`)

/** What a file starts with that would make a senseless disk when taken as raw, and what it is. */
const NOT_USABLE: readonly [magic: string, what: string][] = [
  ['COWD', 'a VMDK image of an old kind'],
  ['vhdxfile', 'a VHDX image'],
  ['conectix', 'a VHD image'],
  ['QED\0', 'a QED image'],
  ['\x1f\x8b', 'packed twice (gzip)'],
  ['\xfd7zXZ\0', 'packed twice (xz)'],
  ['\x28\xb5\x2f\xfd', 'packed twice (zstd)'],
  ['BZh', 'packed (bzip2)'],
  ['PK\x03\x04', 'a ZIP archive'],
  ["7z\xbc\xaf'\x1c", 'a 7z archive'],
]

/** Little endian at byte 64 of a VirtualBox image. */
const VDI_MAGIC = 0xbeda107f

async function firstBytes(path: string, length: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
