import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'
import { CommandError, errorCode } from '../lib/command.ts'
import { isUnable, runBoxed } from './import-box.ts'
import { hostIsFull, ImportError, inWords, unable } from './import-error.ts'

export interface Unpack {
  from: string
  /** A new file beside `from`. */
  to: string
  maxBytes: number
  signal: AbortSignal
}

/** Undoes gzip, xz or zstd, which is told by the first bytes; false when the file is none of them. */
export async function unpack(work: Unpack): Promise<boolean> {
  const packing = packingOf(await firstBytes(work.from))
  if (packing === null) return false
  try {
    if (packing === 'xz') await unpackXz(work)
    else await unpackStream(work, packing === 'gzip' ? createGunzip(CHUNKS) : createZstdDecompress(CHUNKS))
    return true
  } catch (error) {
    work.signal.throwIfAborted()
    if (error instanceof ImportError) throw error
    if (errorCode(error) === 'ENOSPC') throw hostIsFull(error)
    if (isUnable(error)) throw unable(error)
    throw new ImportError('The packed image is damaged or incomplete.', { cause: error })
  }
}

const CHUNKS = { chunkSize: 1024 * 1024 }

/** How a file is packed, by its first bytes; null when it is not, or in another way. */
export function packingOf(start: Buffer): 'gzip' | 'xz' | 'zstd' | null {
  const magic = start.toString('hex', 0, 6)
  if (magic.startsWith('1f8b')) return 'gzip'
  if (magic === 'fd377a585a00') return 'xz'
  return magic.startsWith('28b52ffd') ? 'zstd' : null
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(6), 0, 6, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function unpackStream(work: Unpack, undo: Gunzip | ZstdDecompress): Promise<void> {
  const file = await open(work.to, 'wx', 0o600)
  try {
    let length = 0
    await pipeline(
      createReadStream(work.from, { highWaterMark: 1024 * 1024 }),
      undo,
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          if (length + chunk.length > work.maxBytes) throw tooLarge(work)
          await writeUnlessZero(file, chunk, length)
          length += chunk.length
        }
      },
      { signal: work.signal },
    )
    await file.truncate(length)
  } finally {
    await file.close()
  }
}

/** Disk images are mostly zeros, which take no room when they are not written. */
async function writeUnlessZero(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  if (chunk.equals(ZEROS.subarray(0, chunk.length))) return
  for (let written = 0; written < chunk.length; ) {
    written += (await file.write(chunk, written, chunk.length - written, position + written)).bytesWritten
  }
}

const ZEROS = Buffer.alloc(CHUNKS.chunkSize)

/** Node has no xz; the program leaves out zeros as well. */
async function unpackXz(work: Unpack): Promise<void> {
  const script = 'exec xz -dc -- "$1" > "$2"'
  const maxFileBytes = work.maxBytes
  try {
    await runBoxed('sh', ['-c', script, 'sh', basename(work.from), basename(work.to)], {
      cwd: dirname(work.from),
      signal: work.signal,
      timeoutMs: 4 * 3_600_000,
      memoryBytes: 1024 * 1024 * 1024,
      maxFileBytes,
    })
  } catch (error) {
    if (error instanceof CommandError && /file too large/i.test(error.stderr)) throw tooLarge(work)
    throw error
  }
}

const tooLarge = (work: Unpack) =>
  new ImportError(`The unpacked image is larger than the limit of ${inWords(work.maxBytes)}.`)

export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash, { signal })
  return hash.digest('hex')
}
