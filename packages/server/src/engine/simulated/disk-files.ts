/** Disks as files: those that come in are really read, those that go out are whole and hold nothing. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ofFirstBytes } from '../../image/foreign-look.ts'
import { ImportError, otherChecksum } from '../../image/import-error.ts'
import { type DiskFile, EngineError } from '../engine.ts'
import { blankQcow2 } from './blank-qcow2.ts'

const START_BYTES = 64 * 1024
const gibibyte = 1024 ** 3

/** What a file would make of a disk; refuses what a real engine refuses by its first bytes, and another checksum. */
export async function takeFile({ path, sha256: wanted }: { path: string; sha256: string | null }) {
  try {
    const hash = createHash('sha256')
    let start = Buffer.alloc(0)
    let bytes = 0
    for await (const chunk of createReadStream(path, { highWaterMark: START_BYTES })) {
      hash.update(chunk)
      if (bytes === 0) start = chunk
      bytes += chunk.length
    }
    const sha256 = hash.digest('hex')
    if (wanted !== null && wanted !== sha256) throw otherChecksum(sha256, wanted)
    const limits = { maxImageBytes: 1024 * gibibyte, maxVirtualBytes: 1024 * gibibyte }
    const { virtualBytes } = ofFirstBytes(start, bytes, limits, false)
    return { content: `file ${sha256}`, sizeBytes: virtualBytes ?? bytes, sha256 }
  } catch (error) {
    if (error instanceof ImportError) throw new EngineError('source-refused', error.message, { cause: error })
    throw error
  }
}

/** A disk as a file, from memory. */
export function blankFile(virtualBytes: number): DiskFile {
  const file = blankQcow2(virtualBytes)
  return {
    bytes: file.length,
    tag: `blank-${virtualBytes.toString(36)}`,
    async *read(from, to) {
      yield file.subarray(from, to)
    },
    close: async () => {},
  }
}
