/** A recorder that stands beside the servers, as an object here. */
import { WebSocket } from 'ws'
import type { Clock } from '../../lib/clock.ts'
import { EngineError, type MachineConsole, type MachineNote } from '../engine.ts'
import type { Recorder } from './recorder.ts'
import {
  type Asking,
  apart,
  consolePath,
  keepAliveMs,
  mostReadBytes,
  mostTypedBytes,
  Telling,
  understood,
  withId,
} from './recorder-wire.ts'

const openMs = 10_000
const answerMs = 15_000
/** A look with all notes is shorter. */
const mostBytes = 1024 * 1024

const away = (cause?: unknown) =>
  new EngineError('internal', 'The console recorder cannot be reached. Try again in a moment.', {
    retryable: true,
    cause,
  })

/**
 * A console whose connection is lost is over, and says so to whoever looks at it: who still looks opens it again, and
 * goes on at the offset where it was.
 *
 * @param url of the recorder, such as `http://recorder:7070`
 */
export function reachRecorder({ url, token, clock }: { url: string; token: string; clock: Clock }): Recorder {
  const open = new Set<WebSocket>()
  return {
    async open(machineId) {
      const socket = new WebSocket(new URL(consolePath(machineId), url), {
        headers: { authorization: `Bearer ${token}` },
        maxPayload: mostBytes,
        perMessageDeflate: false,
      })
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('upgrade', (answer) => answer.socket.setKeepAlive(true, keepAliveMs))
      return opened(socket, clock)
    },
    async close() {
      for (const socket of open) socket.terminate()
    },
  }
}

/** Resolves with the first look; null when the recorder has no such console. */
function opened(socket: WebSocket, clock: Clock): Promise<MachineConsole | null> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => {
      cancel()
      socket.terminate()
      reject(away(cause))
    }
    const cancel = clock.after(openMs, fail)
    const terminal = reachedConsole(socket, clock, () => {
      cancel()
      resolve(terminal)
    })
    socket.on('error', fail)
    socket.on('close', () => fail())
    socket.on('unexpected-response', (_request, answer) => {
      if (answer.statusCode !== 404) return fail(new Error(`The recorder answered ${answer.statusCode}`))
      cancel()
      resolve(null)
      socket.terminate()
    })
  })
}

type Answer = Buffer | boolean

function reachedConsole(socket: WebSocket, clock: Clock, onFirstLook: () => void): MachineConsole {
  const listeners = new Set<() => void>()
  const underWay = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  let extent: { first: number; end: number } | null = null
  let notes: readonly MachineNote[] = []
  let isLost = false
  let lastId = 0

  function take(telling: Telling): void {
    if ('taken' in telling) {
      underWay.get(telling.id)?.resolve(telling.taken)
      return
    }
    const isFirst = extent === null
    extent = telling.extent
    notes = telling.notes ?? notes
    if (isFirst) onFirstLook()
    else for (const listener of [...listeners]) listener()
  }

  socket.on('message', (data, isBinary) => {
    const message = data as Buffer
    const bytes = isBinary ? apart(message) : null
    const telling = isBinary ? null : understood(Telling, message.toString('utf8'))
    if (bytes) underWay.get(bytes.id)?.resolve(bytes.bytes)
    else if (telling) take(telling)
    else socket.terminate()
  })
  socket.on('close', () => {
    isLost = true
    for (const { reject } of underWay.values()) reject(away())
    for (const listener of [...listeners]) listener()
  })

  async function ask(message: (id: number) => string | Buffer): Promise<Answer> {
    if (isLost) throw away()
    lastId = (lastId + 1) % 2 ** 32
    const id = lastId
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    underWay.set(id, { resolve, reject })
    const cancel = clock.after(answerMs, () => reject(away()))
    try {
      socket.send(message(id))
      return await promise
    } finally {
      cancel()
      underWay.delete(id)
    }
  }

  return {
    extent() {
      if (isLost || extent === null) throw away()
      return extent
    },
    notes: () => notes,
    async read(from, max) {
      const asking = (id: number): Asking => ({ id, read: { from, max: Math.min(max, mostReadBytes) } })
      const answer = await ask((id) => JSON.stringify(asking(id)))
      return Buffer.isBuffer(answer) ? answer : Buffer.alloc(0)
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length; at += mostTypedBytes) {
        const part = bytes.subarray(at, at + mostTypedBytes)
        if ((await ask((id) => withId(id, part)).catch(() => false)) !== true) return false
      }
      return true
    },
    resize: () => {},
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      listeners.clear()
      socket.terminate()
    },
  }
}
