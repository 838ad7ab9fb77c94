/**
 * What has arrived of uploads, `<dataDir>/uploads/<disk id>`. How much of a file counts is said by the database: what is
 * behind that is what a piece left that never came to its end, and is written over.
 */
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { flush } from '../lib/flush.ts'

/** Room that is left on the host whatever arrives, in bytes. */
export const reserveBytes = 256 * 1024 ** 2

export type UploadFiles = ReturnType<typeof makeUploadFiles>

/** A piece that is not stored, and why. */
export class PieceError extends Error {
  readonly why: 'too-large' | 'empty' | 'broken' | 'full' | 'gone'

  constructor(why: PieceError['why'], cause?: unknown) {
    super(`A piece was not stored: ${why}`, { cause })
    this.why = why
  }
}

export function makeUploadFiles(dataDir: string) {
  const dir = join(dataDir, 'uploads')
  const pathOf = (id: string) => join(dir, id)

  /** Bytes that may be written here before the reserve is touched. */
  async function room(): Promise<number> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(dir)
    return bavail * bsize - reserveBytes
  }

  return {
    pathOf,
    room,

    /**
     * Writes a piece at its place as it comes and waits until it is on the disk; what was there before has to reach so far.
     * Returns how many bytes it had. Of a piece that fails nothing counts.
     */
    async write(
      id: string,
      offset: number,
      piece: AsyncIterable<Buffer>,
      { most, onBytes, signal }: { most: number; onBytes: (count: number) => void; signal: AbortSignal },
    ): Promise<number> {
      if ((await room()) < most) throw new PieceError('full')
      const path = pathOf(id)
      const file = await open(path, offset === 0 ? 'w' : 'r+', 0o600).catch(
        (error: NodeJS.ErrnoException) => {
          throw error.code === 'ENOENT' ? new PieceError('gone', error) : error
        },
      )
      try {
        if ((await file.stat()).size < offset) throw new PieceError('gone')
        let written = 0
        for await (const chunk of piece) {
          signal.throwIfAborted()
          if (written + chunk.length > most) throw new PieceError('too-large')
          for (let at = 0; at < chunk.length; ) {
            const { bytesWritten } = await file.write(chunk, at, chunk.length - at, offset + written)
            at += bytesWritten
            written += bytesWritten
          }
          onBytes(chunk.length)
        }
        signal.throwIfAborted()
        if (written === 0) throw new PieceError('empty')
        await file.datasync()
        if (offset === 0) await flush(dir)
        return written
      } finally {
        await file.close()
      }
    },

    /** Whether all of a file is there. */
    async isWhole(id: string, bytes: number): Promise<boolean> {
      const there = await stat(pathOf(id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return there !== null && there.size >= bytes
    },

    async remove(id: string): Promise<void> {
      await rm(pathOf(id), { force: true })
    },

    async list(): Promise<string[]> {
      return readdir(dir).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
    },
  }
}
