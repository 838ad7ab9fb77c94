/**
 * Sends files that become disks, piece by piece, for as long as this page lives: whatever is shown meanwhile. A connection
 * that is lost is tried again with growing pauses; where a file continues is what the server says.
 */
import { firstPieceBytes, nextPieceBytes, type Upload, uploadCodes, uploadPauseMs } from '@slipway/contract'
import { ApiError, call } from './client.ts'

export interface UploadRun {
  id: string
  projectId: string
  fileName: string
  bytes: number
  /** What the server has. */
  sent: number
  state: 'sending' | 'waiting' | 'paused' | 'sent' | 'failed'
  /** Bytes each second over the last pieces; null while unknown. */
  speed: number | null
  /** Why it waits or failed. */
  message: string | null
}

type Ref = Pick<UploadRun, 'id' | 'projectId'>

/** A piece of 8 MiB on a slow line; the server takes no longer either. */
const pieceTimeoutMs = 60_000

const runs = new Map<string, UploadRun>()
const files = new Map<string, Blob>()
const stops = new Map<string, AbortController>()
const listeners = new Set<() => void>()

function set(id: string, change: Partial<UploadRun>): void {
  const run = runs.get(id)
  if (!run) return
  runs.set(id, { ...run, ...change })
  tell()
}

function tell(): void {
  const isBusy = [...runs.values()].some(({ state }) => state === 'sending' || state === 'waiting')
  if (isBusy) window.addEventListener('beforeunload', askBrowser)
  else window.removeEventListener('beforeunload', askBrowser)
  for (const listener of listeners) listener()
}

const askBrowser = (event: Event): void => event.preventDefault()

/** What this page sends, for components. */
export const uploadRuns = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  get: (id: string): UploadRun | null => runs.get(id) ?? null,
}

/** Begins to send a file, or goes on with it. */
export function startUpload(
  { id, project_id: projectId, file_name, file_bytes, received_bytes }: Upload,
  file: Blob,
) {
  stops.get(id)?.abort()
  files.set(id, file)
  runs.set(id, {
    id,
    projectId,
    fileName: file_name,
    bytes: file_bytes,
    sent: received_bytes,
    state: 'sending',
    speed: null,
    message: null,
  })
  void drive({ id, projectId })
  tell()
}

export function pauseUpload(id: string): void {
  stops.get(id)?.abort()
  set(id, { state: 'paused', speed: null, message: null })
}

export function resumeUpload(id: string): void {
  const run = runs.get(id)
  if (!run || run.state === 'sending') return
  stops.get(id)?.abort()
  set(id, { state: 'sending', message: null })
  void drive(run)
}

/** Forgets an upload that is over. */
export function forgetUpload(id: string): void {
  stops.get(id)?.abort()
  stops.delete(id)
  files.delete(id)
  runs.delete(id)
  tell()
}

async function drive({ id, projectId }: Ref): Promise<void> {
  const stop = new AbortController()
  stops.set(id, stop)
  const { signal } = stop
  const params = { projectId, uploadId: id }
  let failures = 0
  let size: number = firstPieceBytes
  for (;;) {
    try {
      const { received_bytes: from, file_bytes, state } = await call('upload.get', { params, signal })
      set(id, { sent: from })
      if (state === 'failed') return fail(id, 'This upload has failed. Its disk says why.')
      for (let at = from; at < file_bytes; ) {
        const bytes = await pieceOf(id, at, Math.min(file_bytes, at + size))
        if (signal.aborted) return
        const began = performance.now()
        const after = await call('upload.send', {
          params,
          query: { offset: at },
          bytes,
          signal,
          timeoutMs: pieceTimeoutMs,
        })
        const tookMs = performance.now() - began
        failures = 0
        note(id, after.received_bytes, bytes.length, tookMs)
        size = nextPieceBytes(size, tookMs)
        at = after.received_bytes
      }
      files.delete(id)
      return set(id, { state: 'sent', speed: null, message: null })
    } catch (error) {
      if (signal.aborted) return
      const message = reasonToWait(error)
      if (message === null) return fail(id, reasonToEnd(error))
      failures += 1
      // What did not pass at once may be too much for this line.
      size = nextPieceBytes(size, Number.POSITIVE_INFINITY)
      set(id, { state: 'waiting', speed: null, message })
      await pause(uploadPauseMs(failures), signal)
      if (signal.aborted) return
      set(id, { state: 'sending' })
    }
  }
}

function fail(id: string, message: string): void {
  set(id, { state: 'failed', speed: null, message })
}

function note(id: string, sent: number, bytes: number, tookMs: number): void {
  const before = runs.get(id)?.speed ?? null
  const now = (bytes / Math.max(1, tookMs)) * 1000
  // Smoothed, so that the time left does not jump.
  set(id, { sent, state: 'sending', message: null, speed: before === null ? now : before * 0.7 + now * 0.3 })
}

class FileGone extends Error {}

async function pieceOf(id: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = files.get(id)
  try {
    if (!file) throw new FileGone()
    return new Uint8Array(await file.slice(from, to).arrayBuffer())
  } catch (error) {
    throw error instanceof FileGone ? error : new FileGone()
  }
}

/** Why it is tried again; null: that would be of no use. */
export function reasonToWait(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null
  const { status, code, message } = error
  if (status === null) return 'The connection was lost.'
  if (code === uploadCodes.busy) return message
  if (code === uploadCodes.offset) return 'Looking for where the file continues.'
  if (status >= 500 || status === 408 || status === 429)
    return message || 'The server could not store the last piece.'
  return null
}

function reasonToEnd(error: unknown): string {
  if (error instanceof FileGone)
    return 'The file can no longer be read. It may have been moved or changed. Choose it again.'
  return (error instanceof ApiError && error.message) || 'The upload has failed. Try again.'
}

/** A pause that ends early when the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    window.addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
