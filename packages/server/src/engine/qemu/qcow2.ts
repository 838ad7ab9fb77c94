import { open, rename, rm } from 'node:fs/promises'
import type { BootImage } from '../../image/image-store.ts'
import { CommandError, run } from '../../lib/command.ts'
import type { Work } from '../engine.ts'
import { flush } from './durable.ts'

/** `QFI\xfb`. This and all else known of the format here: QEMU's qcow2 specification, "Header". */
const MAGIC = 0x514649fb

/** What a qcow2 file says of itself; null when it is none, or none that can be read. */
export async function readHeader(
  path: string,
): Promise<{ virtualBytes: number; backing: string | null } | null> {
  try {
    const file = await open(path)
    try {
      const { buffer: header, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0)
      if (bytesRead < 32 || header.readUInt32BE(0) !== MAGIC) return null
      const length = header.readUInt32BE(16)
      const name = Buffer.alloc(length)
      if (length > 0) await file.read(name, 0, length, Number(header.readBigUInt64BE(8)))
      return {
        virtualBytes: Number(header.readBigUInt64BE(24)),
        backing: length > 0 ? name.toString() : null,
      }
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}

/**
 * Makes a root disk: a qcow2 overlay on a read-only image, of the image's size or larger where it asks for that.
 * Replaces the one that is there, in one step.
 */
export async function createRootDisk(path: string, { disk, rootBytes = 0 }: BootImage): Promise<void> {
  const fresh = `${path}.new`
  const virtualBytes = (await readHeader(disk))?.virtualBytes ?? 0
  const size = rootBytes > virtualBytes ? [`${rootBytes}`] : []
  await rm(fresh, { force: true })
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', disk, '-F', 'qcow2', fresh, ...size])
  await rename(fresh, path)
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
export async function check(path: string): Promise<void> {
  try {
    await run('qemu-img', ['check', '-q', '-f', 'qcow2', path])
  } catch (error) {
    if (!(error instanceof CommandError) || error.status !== 3) throw error
  }
}

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
