import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../lib/command.ts'
import { EngineError } from '../engine.ts'

/** Room that must be left on the host before anything new is made, in bytes. */
const RESERVE_BYTES = 256 * 1024 * 1024

/** Refuses early, with a sentence, when the host's disk is nearly full. */
export async function requireSpace(dir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dir)
  if (bavail * bsize < RESERVE_BYTES) {
    throw new EngineError('no-space', 'The disk of the host is full.', { retryable: true })
  }
}

/** Makes a root disk: a qcow2 overlay on a read-only image. Replaces the one that is there, in one step. */
export async function createOverlay(path: string, backing: string): Promise<void> {
  const fresh = `${path}.new`
  await rm(fresh, { force: true })
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', backing, '-F', 'qcow2', fresh])
  await rename(fresh, path)
}

/** Whether a file looks like the qcow2 overlay it should be; reads its first bytes only. */
export async function isOverlay(path: string): Promise<boolean> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
      return bytesRead === 4 && buffer.readUInt32BE(0) === QCOW2_MAGIC
    } finally {
      await file.close()
    }
  } catch {
    return false
  }
}

/** `QFI\xfb`, QEMU's qcow2 specification. */
const QCOW2_MAGIC = 0x514649fb

/** Data volumes, `<dataDir>/volumes/<id>.qcow2`. They grow as they are written. */
export function makeVolumes(dataDir: string) {
  const dir = join(dataDir, 'volumes')
  const pathOf = (volumeId: string) => join(dir, `${volumeId}.qcow2`)
  return {
    pathOf,
    open: () => mkdir(dir, { recursive: true, mode: 0o700 }),
    async create(volumeId: string, sizeBytes: number): Promise<void> {
      const path = pathOf(volumeId)
      if (await stat(path).catch(() => null)) return
      await requireSpace(dir)
      const fresh = `${path}.${process.pid}.new`
      await run('qemu-img', ['create', '-q', '-f', 'qcow2', fresh, `${sizeBytes}`])
      await rename(fresh, path)
    },
    remove: (volumeId: string) => rm(pathOf(volumeId), { force: true }),
  }
}
