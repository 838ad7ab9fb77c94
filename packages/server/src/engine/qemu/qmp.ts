import { open } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../lib/command.ts'

/** What QEMU tells on its own, such as `SHUTDOWN`. Names and data: QEMU QMP reference manual. */
export interface QmpEvent {
  event: string
  data: Record<string, unknown>
  /** Milliseconds since the epoch. */
  at: number
}

export interface Qmp {
  /** Sends a command and resolves with its `return`; rejects with QEMU's description or when the line breaks. */
  execute(command: string, args?: Record<string, unknown>): Promise<unknown>
  /** Returns the way to stop listening. */
  onEvent(listener: (event: QmpEvent) => void): () => void
  /** Calls back once when the line is gone, which for a guest means it ended. */
  onClose(listener: () => void): void
  close(): void
}

/** QEMU answered a command with an error. */
export class QmpError extends Error {
  readonly class: string
  constructor(kind: string, description: string) {
    super(description)
    this.name = 'QmpError'
    this.class = kind
  }
}

/**
 * Connects to a QMP socket and leaves negotiation mode. QEMU serves one client per socket: a second one gets no
 * greeting, so this one gives up after `timeoutMs`.
 */
export async function connectQmp(path: string, timeoutMs: number): Promise<Qmp> {
  const socket = await connectUnix(path)
  if (socket.destroyed) throw new Error('QEMU closed the line')
  return new Promise((resolve, reject) => {
    const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
    const eventListeners = new Set<(event: QmpEvent) => void>()
    const closeListeners: (() => void)[] = []
    let nextId = 1
    let closed = false

    const execute = (command: string, args?: Record<string, unknown>) =>
      new Promise<unknown>((done, failed) => {
        if (closed) return failed(new Error('The guest is gone'))
        const id = nextId
        nextId += 1
        pending.set(id, { resolve: done, reject: failed })
        socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`)
      })
    const qmp: Qmp = {
      execute,
      onEvent(listener) {
        eventListeners.add(listener)
        return () => eventListeners.delete(listener)
      },
      onClose: (listener) => (closed ? listener() : closeListeners.push(listener)),
      close: () => socket.destroy(),
    }
    const giveUp = setTimeout(() => {
      reject(new Error('QEMU did not greet: another client holds its socket'))
      socket.destroy()
    }, timeoutMs)

    const receive = (message: Record<string, unknown>) => {
      if ('QMP' in message) {
        execute('qmp_capabilities').then(() => {
          clearTimeout(giveUp)
          resolve(qmp)
        }, reject)
        return
      }
      const event = eventOf(message)
      if (event) {
        for (const listener of eventListeners) listener(event)
        return
      }
      const waiting = typeof message.id === 'number' ? pending.get(message.id) : undefined
      if (!waiting) return
      pending.delete(Number(message.id))
      const error = message.error
      if (isRecord(error)) waiting.reject(new QmpError(String(error.class), String(error.desc)))
      else waiting.resolve(message.return)
    }
    const split = lineSplitter((line) => {
      const message = parseMessage(line)
      if (message) receive(message)
    })
    socket.on('data', split)
    socket.on('close', () => {
      closed = true
      clearTimeout(giveUp)
      for (const { reject: fail } of pending.values()) fail(new Error('The guest is gone'))
      pending.clear()
      reject(new Error('QEMU closed the line'))
      for (const listener of closeListeners) listener()
    })
  })
}

/** Waits for events; what comes between two waits ends the next one at once. When the signal is aborted, the wait under way ends. */
export function listenFor(qmp: Qmp, signal: AbortSignal, ...events: string[]) {
  let came = Promise.withResolvers<void>()
  const wake = () => came.resolve()
  const stopListening = qmp.onEvent(({ event }) => {
    if (events.includes(event)) wake()
  })
  signal.addEventListener('abort', wake)
  return {
    /** Waits no longer than that, because an event may be lost. */
    async next(atMostMs: number): Promise<void> {
      const timer = setTimeout(wake, atMostMs)
      await came.promise
      clearTimeout(timer)
      came = Promise.withResolvers()
    },
    stop(): void {
      stopListening()
      signal.removeEventListener('abort', wake)
    },
  }
}

/** Cuts a byte stream into lines, however it was cut into chunks. */
export function lineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.toString('utf8', 0, end).trim()
      rest = rest.subarray(end + 1)
      if (line) onLine(line)
    }
  }
}

export function parseMessage(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

export function eventOf(message: Record<string, unknown>): QmpEvent | null {
  const { event, data, timestamp } = message
  if (typeof event !== 'string') return null
  const at = isRecord(timestamp)
    ? Number(timestamp.seconds) * 1000 + Number(timestamp.microseconds) / 1000
    : 0
  return { event, data: isRecord(data) ? data : {}, at }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Connects to a Unix socket by way of its directory's handle, because the address of a socket holds 107 bytes and
 * a data directory may be deeper than that. A socket that is there but not yet listened on is tried again.
 */
export async function connectUnix(path: string): Promise<Socket> {
  const directory = await open(dirname(path))
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await connectOnce(`/proc/self/fd/${directory.fd}/${basename(path)}`)
      } catch (error) {
        if (attempt === 200 || errorCode(error) !== 'ECONNREFUSED') throw error
        await sleep(10)
      }
    }
  } finally {
    await directory.close()
  }
}

const connectOnce = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    // For good: a guest may end before its caller listens, and an error that nobody hears ends the server.
    socket.on('error', reject)
  })
