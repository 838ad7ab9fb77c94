import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode } from '../lib/command.ts'
import { type Answer, atPace, type Fetching, persist, refusalOf } from './download-request.ts'
import { hostIsFull, ImportError, inWords } from './import-error.ts'

export interface Download extends Pick<Fetching, 'signal' | 'pace'> {
  /** Asks for the file with these headers; called anew for each try. */
  ask: (headers: Record<string, string>) => Promise<Answer>
  /** Where the bytes go; a new file. */
  path: string
  maxBytes: number
  /** Bytes that are there, and how many there will be; null when the server does not say. */
  onProgress: (received: number, total: number | null) => void
}

/** A file in the coming: how far it is and what tells that the rest is still of the same. */
interface Received {
  bytes: number
  hash: Hash
  /** For If-Range: a strong entity tag, else a date; null when the server offers neither. */
  validator: string | null
}

/**
 * Fetches a file and notes its SHA-256 on the way. A transfer that breaks is taken up where it ended when the server
 * can do that, else from the start. Throws ImportErrors.
 */
export async function download(work: Download): Promise<{ sha256: string; bytes: number }> {
  const file = await open(work.path, 'wx', 0o600)
  try {
    let received: Received = nothing(null)
    await persist(work, async () => {
      const answer = await work.ask(rangeOf(received))
      const resumed = resumes(answer, received)
      if (!resumed) {
        if (answer.response.statusCode !== 200) {
          // What the server makes of the range does not fit: the next try asks for everything.
          const asked = received.bytes > 0
          received = nothing(null)
          const refusal = refusalOf(answer)
          if (!asked || refusal.retryable) throw refusal
          throw new ImportError(refusal.message, { retryable: true })
        }
        received = nothing(validatorOf(answer))
        await file.truncate(0)
      }
      await receive(answer, file, received, work)
    })
    return { sha256: received.hash.digest('hex'), bytes: received.bytes }
  } finally {
    await file.close()
  }
}

const nothing = (validator: string | null): Received => ({ bytes: 0, hash: createHash('sha256'), validator })

const rangeOf = ({ bytes, validator }: Received): Record<string, string> =>
  bytes > 0 && validator !== null ? { range: `bytes=${bytes}-`, 'if-range': validator } : {}

function validatorOf({ response: { headers } }: Answer): string | null {
  if (headers.etag !== undefined && !headers.etag.startsWith('W/')) return headers.etag
  return headers['last-modified'] ?? null
}

/** Whether an answer carries on exactly where the last one ended. */
function resumes({ response }: Answer, received: Received): boolean {
  if (response.statusCode !== 206 || received.bytes === 0) return false
  return response.headers['content-range']?.startsWith(`bytes ${received.bytes}-`) ?? false
}

export const fileTooLarge = (maxBytes: number) =>
  new ImportError(`The file is larger than the limit of ${inWords(maxBytes)}.`)

async function receive(answer: Answer, file: FileHandle, received: Received, work: Download) {
  const { response } = answer
  const announced = Number(response.headers['content-length'] ?? Number.NaN)
  const total = Number.isFinite(announced) ? received.bytes + announced : null
  const tooLarge = () => fileTooLarge(work.maxBytes)
  try {
    if (total !== null && total > work.maxBytes) throw tooLarge()
    for await (const chunk of atPace(answer, work.pace.slowest)) {
      if (received.bytes + chunk.length > work.maxBytes) throw tooLarge()
      await writeAll(file, chunk, received.bytes)
      received.hash.update(chunk)
      received.bytes += chunk.length
      work.onProgress(received.bytes, total)
    }
  } catch (error) {
    if (errorCode(error) === 'ENOSPC') throw hostIsFull(error)
    throw error
  } finally {
    response.destroy()
  }
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}
