import { systemClock } from '../../lib/clock.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { lineSplitter } from '../../lib/line-splitter.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { isRecord, parseMessage } from './lines.ts'

/** What QEMU tells on its own, such as `SHUTDOWN`. Names and data: QEMU QMP reference manual. */
export interface QmpEvent {
  event: string
  data: Record<string, unknown>
  /** Milliseconds since the epoch. */
  at: number
}

export interface Qmp {
  /**
   * Sends a command and resolves with its `return`. Rejects with a {@link QmpError} when QEMU refuses, with a
   * {@link QmpClosed} when the line breaks, and with a `DeadlineError` when no answer comes in time: after `withinMs`,
   * else as {@link patienceFor} has it.
   */
  execute(command: string, args?: Record<string, unknown>, withinMs?: number): Promise<unknown>
  /** Calls back with events of these names. Returns the way to stop listening. */
  onEvent(names: readonly string[], listener: (event: QmpEvent) => void): () => void
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

/** The line to QEMU is gone, and with it what was asked on it. */
export class QmpClosed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'QmpClosed'
  }
}

/** The largest answer there is, about the nodes of 16 disks that are being copied, takes 34 kB. */
const LONGEST_LINE_BYTES = 1024 * 1024
const ANSWER_MS = 20_000
/** These wait for disks: they drain what is under way, open files or write out what is in memory. */
const DISK_MS = 120_000
const DISK_COMMANDS = new Set([
  ...['transaction', 'blockdev-add', 'blockdev-del', 'device_add', 'cont', 'stop', 'migrate'],
  ...['job-finalize', 'job-dismiss', 'block-job-cancel', 'quit'],
])
/** While an answer is overdue, others are not waited for as long: one that hangs must not be waited for at each step. */
const OVERDUE_MS = 1000

/** How long the answer to a command is waited for, in milliseconds. */
const patienceFor = (command: string): number => (DISK_COMMANDS.has(command) ? DISK_MS : ANSWER_MS)

/**
 * Connects to a QMP socket and leaves negotiation mode. QEMU serves one client per socket: a second one gets no
 * greeting, nor does anybody while its process is stopped, so this one gives up after `timeoutMs`.
 */
export async function connectQmp(path: string, timeoutMs: number): Promise<Qmp> {
  const socket = await connectUnix(path)
  if (socket.destroyed) throw new QmpClosed('QEMU closed the line')
  return new Promise((resolve, reject) => {
    const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
    const listenersOf = new Map<string, Set<(event: QmpEvent) => void>>()
    const closeListeners: (() => void)[] = []
    let nextId = 1
    let closed = false
    let overdue = false

    function ask(id: number, command: string, args: Record<string, unknown> | undefined): Promise<unknown> {
      return new Promise((done, failed) => {
        if (closed) return failed(new QmpClosed('The guest is gone'))
        pending.set(id, { resolve: done, reject: failed })
        socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`)
      })
    }

    async function execute(
      command: string,
      args?: Record<string, unknown>,
      withinMs = patienceFor(command),
    ): Promise<unknown> {
      const id = nextId
      nextId += 1
      const patience = overdue ? Math.min(OVERDUE_MS, withinMs) : withinMs
      try {
        return await withDeadline(ask(id, command, args), patience, `The command ${command}`, systemClock)
      } finally {
        // Still there: nothing was heard of it. A wait that was meant to be short proves nothing.
        if (pending.delete(id) && withinMs >= patienceFor(command)) overdue = true
      }
    }

    const qmp: Qmp = {
      execute,
      onEvent(names, listener) {
        for (const name of names) {
          const listeners = listenersOf.get(name) ?? new Set()
          listenersOf.set(name, listeners.add(listener))
        }
        return () => {
          for (const name of names) listenersOf.get(name)?.delete(listener)
        }
      },
      onClose: (listener) => (closed ? listener() : closeListeners.push(listener)),
      close: () => socket.destroy(),
    }
    const giveUp = setTimeout(() => {
      reject(new QmpClosed('QEMU did not greet: its process is stopped, or another client holds its socket'))
      socket.destroy()
    }, timeoutMs)

    function receive(message: Record<string, unknown>): void {
      if ('QMP' in message) {
        execute('qmp_capabilities', undefined, timeoutMs).then(() => {
          clearTimeout(giveUp)
          resolve(qmp)
        }, reject)
        return
      }
      const event = eventOf(message)
      if (event) {
        for (const listener of listenersOf.get(event.event) ?? []) listener(event)
        return
      }
      overdue = false
      const waiting = typeof message.id === 'number' ? pending.get(message.id) : undefined
      if (!waiting) return
      pending.delete(Number(message.id))
      const error = message.error
      if (isRecord(error)) waiting.reject(new QmpError(String(error.class), String(error.desc)))
      else waiting.resolve(message.return)
    }

    function takeLine(line: string): void {
      // A guest can have QEMU send a hundred thousand events a second; those that nobody listens for are not parsed.
      const name = eventNameIn(line)
      if (name !== null && !listenersOf.get(name)?.size) return
      const message = parseMessage(line)
      if (message) receive(message)
    }

    const split = lineSplitter(takeLine, {
      maxBytes: LONGEST_LINE_BYTES,
      onTooLong: () => socket.destroy(),
    })
    socket.on('data', split)
    socket.on('close', () => {
      closed = true
      clearTimeout(giveUp)
      for (const { reject: fail } of pending.values()) fail(new QmpClosed('The guest is gone'))
      pending.clear()
      reject(new QmpClosed('QEMU closed the line'))
      for (const listener of closeListeners) listener()
    })
  })
}

/** Waits for events; what comes between two waits ends the next one at once. When the signal is aborted, the wait under way ends. */
export function listenFor(qmp: Qmp, signal: AbortSignal, ...events: string[]) {
  let came = Promise.withResolvers<void>()
  const wake = () => came.resolve()
  const stopListening = qmp.onEvent(events, wake)
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

/** The name of the event in a line as QEMU writes it; null when the line is none. */
const eventNameIn = (line: string): string | null =>
  line.startsWith('{"timestamp"') ? (/^.{0,90}?"event": "([A-Z_]+)"/.exec(line)?.[1] ?? null) : null

export function eventOf(message: Record<string, unknown>): QmpEvent | null {
  const { event, data, timestamp } = message
  if (typeof event !== 'string') return null
  const at = isRecord(timestamp)
    ? Number(timestamp.seconds) * 1000 + Number(timestamp.microseconds) / 1000
    : 0
  return { event, data: isRecord(data) ? data : {}, at }
}
