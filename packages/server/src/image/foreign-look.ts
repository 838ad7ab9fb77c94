import { BOOT_RECORD_BYTES, isIso, requireBootRecord } from './boot-record.ts'
import { fileTooLarge } from './download.ts'
import { type Answer, type Fetching, failureOf, get, refusalOf } from './download-request.ts'
import { readImageAddress } from './image-address.ts'
import { ImportError } from './import-error.ts'
import { packingOf } from './import-unpack.ts'
import { buildsOnAnother, encrypted, formatOf, keepsDataElsewhere, requireSize } from './inspect-image.ts'

/** What stands at an address, as far as that shows without fetching it. */
export interface ForeignLook {
  /** Null when the server does not say. */
  downloadBytes: number | null
  /** `packed`: what is inside shows when it is there. */
  format: 'qcow2' | 'raw' | 'vmdk' | 'iso' | 'packed'
  /** Size of the disk; null while it does not show. */
  virtualBytes: number | null
}

export interface Looking extends Fetching {
  limits: { maxImageBytes: number; maxVirtualBytes: number }
  timeoutMs?: number
  /** Whether a disk has to be one that boots; so it is unless said otherwise. */
  bootable?: boolean
}

/**
 * Asks for the first bytes of a boot image and tells what it is. Throws an ImportError for what an import would
 * refuse, so far as that shows, or the signal's reason.
 */
export async function lookAtImage(
  text: string,
  { limits, timeoutMs = 10_000, bootable = true, ...fetching }: Looking,
): Promise<ForeignLook> {
  const { url } = readImageAddress(text)
  const late = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([fetching.signal, late])
  try {
    const range = { range: `bytes=0-${BOOT_RECORD_BYTES - 1}` }
    const answer = await get(url, range, { ...fetching, signal })
    return ofFirstBytes(await readStart(answer), sizeOf(answer), limits, bootable)
  } catch (error) {
    fetching.signal.throwIfAborted()
    if (late.aborted) {
      throw new ImportError('The server took too long to respond.', { retryable: true, cause: error })
    }
    throw failureOf(error)
  }
}

/** The first bytes of the file, whether or not the server can send parts of it. */
async function readStart(answer: Answer): Promise<Buffer> {
  const { response } = answer
  // A range that begins at the end of the file: it is empty.
  if (response.statusCode === 416) {
    response.destroy()
    return Buffer.alloc(0)
  }
  if (response.statusCode !== 200 && !isFirstPart(answer)) throw refusalOf(answer)
  const chunks: Buffer[] = []
  let length = 0
  // The stream was given no encoding, so its chunks are buffers.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop ends the transfer.
    if (length >= BOOT_RECORD_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, BOOT_RECORD_BYTES)
}

const isFirstPart = ({ response }: Answer): boolean =>
  response.statusCode === 206 && /^bytes 0-/.test(response.headers['content-range'] ?? '')

/** Size of the whole file; null when the server does not say. */
function sizeOf({ response: { statusCode, headers } }: Answer): number | null {
  const text = statusCode === 206 ? headers['content-range']?.split('/')[1] : headers['content-length']
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null
}

/** What a file is by its first bytes; `downloadBytes` is its size, where it is known. */
export function ofFirstBytes(
  start: Buffer,
  downloadBytes: number | null,
  limits: Looking['limits'],
  bootable: boolean,
): ForeignLook {
  if (downloadBytes !== null && downloadBytes > limits.maxImageBytes) throw fileTooLarge(limits.maxImageBytes)
  if (packingOf(start) !== null) return { downloadBytes, format: 'packed', virtualBytes: null }
  const format = formatOf(start)
  if (format === 'raw' && bootable) requireBootRecord(start)
  const virtualBytes =
    format === 'qcow2' ? qcow2Bytes(start) : format === 'vmdk' ? vmdkBytes(start) : downloadBytes
  if (virtualBytes !== null) requireSize(virtualBytes, limits.maxVirtualBytes)
  return { downloadBytes, format: format === 'raw' && isIso(start) ? 'iso' : format, virtualBytes }
}

/** Offsets: QEMU's qcow2 specification, "Header". */
function qcow2Bytes(header: Buffer): number {
  if (header.length < 72) throw new ImportError('The image is damaged or incomplete.')
  if (header.readBigUInt64BE(8) !== 0n) throw buildsOnAnother()
  if (header.readUInt32BE(32) !== 0) throw encrypted()
  const hasFeatures = header.readUInt32BE(4) >= 3 && header.length >= 80
  if (hasFeatures && (header.readBigUInt64BE(72) & EXTERNAL_DATA) !== 0n) throw keepsDataElsewhere()
  return Number(header.readBigUInt64BE(24))
}

/** Bit 2 of the incompatible features. */
const EXTERNAL_DATA = 4n

/**
 * Offset of the capacity in sectors: VMware's "Virtual Disk Format", "Hosted Sparse Extent Header". Null where the
 * header has none and a description elsewhere in the file counts.
 */
function vmdkBytes(header: Buffer): number | null {
  if (header.length < 20) throw new ImportError('The image is damaged or incomplete.')
  const capacity = header.readBigUInt64LE(12)
  return capacity === 0n ? null : Number(capacity) * 512
}
