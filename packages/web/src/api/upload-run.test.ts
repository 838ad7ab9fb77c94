import type { Upload } from '@slipway/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetUpload, pauseUpload, resumeUpload, startUpload, uploadRuns } from './upload-run.ts'

const mebibyte = 1024 ** 2
const file = new File([new Uint8Array(3 * mebibyte).map((_, i) => i % 251)], 'a.img')

const upload = {
  id: 'd',
  project_id: 'p',
  file_name: 'a.img',
  file_bytes: file.size,
  received_bytes: 0,
  state: 'receiving',
} as Upload

/** What the server has of the file. */
let received: Uint8Array[]
/** How the next pieces are answered; a piece that has no answer here is stored. */
let answers: (() => Response | Promise<Response>)[]
let asked: string[]

const lengthOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0)
const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status })
const state = () => json({ ...upload, received_bytes: lengthOf(received) })

beforeEach(() => {
  vi.useFakeTimers()
  received = []
  answers = []
  asked = []
  // What a browser has of a page, as far as it is used.
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal(
    'fetch',
    async (url: string, { method, body, signal }: RequestInit & { body?: Uint8Array }) => {
      asked.push(`${method} ${url.replace('/api/projects/p/uploads/d', '')}`)
      if (method === 'GET') return state()
      const answer = answers.shift()
      if (answer) return answer()
      signal?.throwIfAborted()
      received.push(body ?? new Uint8Array())
      return state()
    },
  )
})
afterEach(() => {
  forgetUpload('d')
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const until = (wanted: string) =>
  vi.waitFor(() => expect(uploadRuns.get('d')?.state).toBe(wanted), { timeout: 2_000, interval: 10 })

const isWhole = async () => {
  const sent = new Uint8Array(await new Blob(received as Uint8Array<ArrayBuffer>[]).arrayBuffer())
  return Buffer.from(sent).equals(Buffer.from(await file.arrayBuffer()))
}

test('sends a file piece by piece, each where the last one ended', async () => {
  startUpload(upload, file)
  await until('sent')
  expect(asked[0]).toBe('GET ')
  expect(asked[1]).toBe('PUT /content?offset=0')
  expect(await isWhole()).toBe(true)
  expect(uploadRuns.get('d')).toMatchObject({ sent: file.size, message: null })
})

test('goes on where the server says, after a lost connection and after a piece that arrived unanswered', async () => {
  answers = [
    () => Promise.reject(new TypeError('network')),
    // Stored, but the answer is lost.
    async () => {
      received.push(new Uint8Array(await file.slice(0, 512 * 1024).arrayBuffer()))
      throw new TypeError('network')
    },
  ]
  startUpload(upload, file)
  await until('waiting')
  expect(uploadRuns.get('d')?.message).toBe('The connection was lost.')
  await vi.advanceTimersByTimeAsync(1_000)
  await vi.advanceTimersByTimeAsync(2_000)
  await until('sent')
  expect(asked).toContain(`PUT /content?offset=${512 * 1024}`)
  expect(await isWhole()).toBe(true)
})

test('waits for a full disk, and says the sentence of the server', async () => {
  answers = [() => json({ message: 'No space.' }, 503)]
  startUpload(upload, file)
  await until('waiting')
  expect(uploadRuns.get('d')?.message).toBe('No space.')
  window.dispatchEvent(new Event('online'))
  await until('sent')
})

test('ends with the sentence of a refusal that no waiting helps', async () => {
  answers = [() => json({ message: 'This upload is over.' }, 409)]
  startUpload(upload, file)
  await until('failed')
  expect(uploadRuns.get('d')?.message).toBe('This upload is over.')
})

test('pauses at once and resumes where it was; leaving the page is asked about meanwhile only', async () => {
  const leave = () => {
    const event = new Event('beforeunload', { cancelable: true })
    window.dispatchEvent(event)
    return event.defaultPrevented
  }
  answers = [() => new Promise(() => {})]
  startUpload(upload, file)
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  expect(leave()).toBe(true)
  pauseUpload('d')
  expect(uploadRuns.get('d')?.state).toBe('paused')
  expect(leave()).toBe(false)
  resumeUpload('d')
  await until('sent')
  expect(await isWhole()).toBe(true)
  expect(leave()).toBe(false)
})

test('a file that cannot be read any more is said to be gone', async () => {
  const gone = {
    slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) }),
  }
  startUpload(upload, gone as unknown as Blob)
  await until('failed')
  expect(uploadRuns.get('d')?.message).toMatch(/can no longer be read/)
})
