import { open, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import type { BootImage } from '../../image/image-store.ts'
import { CommandError, errorCode, run } from '../../lib/command.ts'
import { flush } from '../../lib/flush.ts'
import type { Work } from '../engine.ts'
import { ifThere, unreadable } from './durable.ts'

/** `QFI\xfb`. This and all else known of the format here: QEMU's qcow2 specification, "Header". */
const MAGIC = 0x514649fb
/** Bytes that the name of the file below may have, by the specification. */
const LONGEST_NAME = 1023

/** What is found where a disk should be. `damaged` can be read, but is no qcow2 file or not a whole header of one. */
export type DiskLook =
  | { is: 'absent' }
  | { is: 'damaged' }
  | { is: 'disk'; virtualBytes: number; backing: string | null }

/** Looks at the header of a disk; throws an UnreadableError when it cannot be read. */
export async function lookAtDisk(path: string): Promise<DiskLook> {
  return (await ifThere(path, readHeader(path))) ?? { is: 'absent' }
}

async function readHeader(path: string): Promise<DiskLook> {
  const file = await open(path)
  try {
    const { buffer: header, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0)
    if (bytesRead < 32 || header.readUInt32BE(0) !== MAGIC) return { is: 'damaged' }
    const length = header.readUInt32BE(16)
    if (length > LONGEST_NAME) return { is: 'damaged' }
    const name = Buffer.alloc(length)
    if (length > 0) {
      const { bytesRead: named } = await file.read(name, 0, length, Number(header.readBigUInt64BE(8)))
      if (named < length) return { is: 'damaged' }
    }
    return {
      is: 'disk',
      virtualBytes: Number(header.readBigUInt64BE(24)),
      backing: length > 0 ? name.toString() : null,
    }
  } finally {
    await file.close()
  }
}

/** What is wrong with a disk as far as its header tells; null for nothing. */
export const brokenState = (what: string, { is }: DiskLook) =>
  is === 'disk'
    ? null
    : { state: 'broken' as const, reason: `${what} is ${is === 'absent' ? 'missing' : 'damaged'}.` }

/** How large root disks are that are made of an image; null where it is not there. */
export async function rootBytesOf({ disk, rootBytes = 0 }: BootImage): Promise<number | null> {
  const image = await lookAtDisk(disk)
  return image.is === 'disk' ? Math.max(image.virtualBytes, rootBytes) : null
}

/**
 * Makes a root disk: a qcow2 overlay on a read-only image, of the image's size or larger where the image or its machine asks
 * for that. Replaces the one that is there, in one step.
 *
 * @param backing the name by which the disk finds the image from where it lies
 */
export async function createRootDisk(
  path: string,
  image: BootImage,
  backing: string,
  atLeast = 0,
): Promise<void> {
  const fresh = `${path}.new`
  const bytes = Math.max((await rootBytesOf(image)) ?? 0, atLeast)
  const size = bytes > 0 ? [`${bytes}`] : []
  await rm(fresh, { force: true })
  try {
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', backing, '-F', 'qcow2', fresh, ...size])
    await flush(fresh)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

/** Makes a disk that holds nothing. With `backing` it names that file as the one it builds upon; nobody looks at it. */
export function createBlank(
  path: string,
  sizeBytes: number,
  backing: string | null = null,
): Promise<unknown> {
  const upon = backing === null ? [] : ['-u', '-F', 'qcow2', '-b', backing]
  return run('qemu-img', ['create', '-q', '-f', 'qcow2', ...upon, path, `${sizeBytes}`])
}

/**
 * Makes a disk of no living guest larger; what it shows stays the same at every moment. Whatever it builds upon is not
 * looked at. Notes of changes that were not kept to their end are dropped, as QEMU would refuse for them.
 */
export async function growFile(path: string, sizeBytes: number): Promise<void> {
  const alone = `json:${JSON.stringify(aloneAt(path))}`
  const about: unknown = JSON.parse(await run('qemu-img', ['info', '--output=json', alone]))
  for (const name of bitmapsInUse(about))
    await run('qemu-img', ['bitmap', '--remove', '-f', 'qcow2', path, name])
  await run('qemu-img', ['resize', '-q', alone, `${sizeBytes}`])
  await flush(path)
}

/** The names of the notes that whoever made them did not finish. */
function bitmapsInUse(about: unknown): string[] {
  const bitmaps = Info.safeParse(about).data?.['format-specific'].data.bitmaps ?? []
  return bitmaps.filter(({ flags }) => flags.includes('in-use')).map(({ name }) => name)
}

const Info = z.object({
  'format-specific': z.object({
    data: z.object({
      bitmaps: z.array(z.object({ name: z.string(), flags: z.array(z.string()) })).optional(),
    }),
  }),
})

/** A disk without what it builds upon: a disk on its way elsewhere does not find it. */
const aloneAt = (path: string) => ({
  driver: 'qcow2',
  backing: null,
  file: { driver: 'file', filename: path },
})

/** Writes all a disk shows, whatever it builds upon, into a new file that builds upon nothing. */
export const flatten = (from: string, to: string, work: Work): Promise<void> =>
  longRun(['convert', '-p', '-f', 'qcow2', '-O', 'qcow2', from, to], work)

/** Writes what a disk holds into the file it builds upon. What it shows stays the same at every moment. */
export const commit = (path: string, work: Work): Promise<void> =>
  longRun(['commit', '-p', '-d', '-f', 'qcow2', path], work)

/** Makes a disk build upon another file, or none; what it shows stays the same at every moment. */
export const rebase = (path: string, backing: string | null, work: Work): Promise<void> =>
  longRun(
    ['rebase', '-p', '-f', 'qcow2', ...(backing ? ['-F', 'qcow2'] : []), '-b', backing ?? '', path],
    work,
  )

/** Reads a whole file's structure back; throws what is wrong. Room that was lost track of (status 3) is no harm. */
export async function check(path: string, signal?: AbortSignal): Promise<void> {
  // What it builds upon has checks of its own.
  try {
    await run('qemu-img', ['check', '-q', `json:${JSON.stringify(aloneAt(path))}`], signal && { signal })
  } catch (error) {
    if (!(error instanceof CommandError) || error.status !== 3) throw error
  }
}

/** Whether a disk that is there is sound; throws an UnreadableError when that cannot be found out now. */
export async function isSound(path: string, signal?: AbortSignal): Promise<boolean> {
  if ((await lookAtDisk(path)).is !== 'disk') return false
  try {
    await check(path, signal)
    return true
  } catch (error) {
    // Only what qemu-img itself found wrong in what it could read is wrong with the disk.
    if (!(error instanceof CommandError) || error.status === null || NOT_READ.test(error.stderr))
      throw unreadable(path, errorCode(error), error)
    return false
  }
}

/** Complaints that tell of the host, not of the disk. */
const NOT_READ =
  /input\/output error|too many open files|permission denied|operation not permitted|cannot allocate memory|failed to get .*lock/i

/** Reads the structure of a new file back, and waits until it is on the disk of the host. */
export async function prove(path: string): Promise<void> {
  await Promise.all([check(path), flush(path)])
}

/** What a program is run by so that it ends when this process is killed, and holds no lock on disks for nobody. */
export const endsWithUs = ['setpriv', '--pdeathsig', 'KILL', '--'] as const

async function longRun(args: string[], { signal, onProgress }: Work): Promise<void> {
  const [command, ...before] = endsWithUs
  await run(command, [...before, 'qemu-img', ...args], {
    signal,
    attend(child) {
      child.stdin.end()
      child.stdout.on('data', (chunk: Buffer) => {
        const percent = /\((\d+(?:\.\d+)?)\/100%\)\s*$/.exec(chunk.toString())?.[1]
        if (percent) onProgress(Number(percent) / 100)
      })
    },
  })
}
