/** Serves a simulated world at a socket, to all servers that reach it (`reached.ts`). */
import { mkdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { holdLock } from '../../lib/own-directory.ts'
import { listenUnix } from '../../lib/unix-socket.ts'
import { type Engine, EngineError, type MachineConsole, type Work } from '../engine.ts'
import {
  Asking,
  type ConsoleCalls,
  type ConsoleLook,
  makeLines,
  methods,
  STREAM_COMES,
  type Telling,
} from './wire.ts'

/** Between two words about how far a piece of work is. */
const PROGRESS_EVERY_MS = 100

interface Served {
  /** Which is open. */
  engine: Engine
  path: string
  clock: Clock
  log: Pick<Log, 'error'>
}

/**
 * Listens at a path, for its owner alone. Returns the way to end it, which leaves the engine open. Throws when another
 * host listens there.
 */
export async function serveEngine(served: Served): Promise<() => Promise<void>> {
  const { path } = served
  await mkdir(dirname(path), { recursive: true })
  // The lock ends with its process, so a socket that a killed one left is known for what it is.
  const lock = holdLock(`${path}.lock`)
  if (!lock) throw new Error(`Another simulated host is serving ${path}. Stop it first, or use another path.`)
  const sockets = new Set<Socket>()
  try {
    const stopListening = await listenUnix(path, (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      serveServer(socket, served)
    })
    return async () => {
      for (const socket of sockets) socket.destroy()
      await stopListening()
      lock.close()
    }
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Serves one server until its connection ends, and its work and its consoles with that; the guests go on. */
function serveServer(socket: Socket, { engine, clock, log }: Served): void {
  const lines = makeLines(socket, Asking, take)
  const underWay = new Map<number, AbortController>()
  const { calls, closeAll } = consolesOf(engine, lines.send)
  let stopListening = () => {}
  socket.once('close', () => {
    stopListening()
    for (const ending of underWay.values()) ending.abort()
    closeAll()
  })

  function take(asking: Asking): void {
    if ('call' in asking) void answer(asking)
    else if ('abort' in asking) underWay.get(asking.abort)?.abort()
    else if (asking.begin === 'calls') stopListening = engine.onChange((changed) => lines.send({ changed }))
    else {
      lines.letGo()
      void become(socket, streamOf(engine, asking))
    }
  }

  async function answer({ id, call, args }: { id: number; call: string; args: unknown[] }): Promise<void> {
    try {
      lines.send({ id, done: await perform(id, call, args) })
    } catch (error) {
      if (!(error instanceof EngineError)) log.error({ err: error }, `The simulated engine failed in ${call}`)
      const { code, retryable, message } =
        error instanceof EngineError ? error : new EngineError('internal', 'The simulated engine failed.')
      lines.send({ id, failed: { code, retryable, message } })
    }
  }

  // Arguments are taken at their word: who asks is this program too, over a socket that only its owner may use.
  type Perform = (...args: unknown[]) => Promise<unknown>
  async function perform(id: number, call: string, args: unknown[]): Promise<unknown> {
    if (call === 'capabilities') return engine.capabilities
    if (isIn(calls, call)) return (calls[call] as Perform)(...args)
    if (!isIn(methods, call)) throw new EngineError('unsupported', `${call} is not known here (simulated).`)
    const method = engine[call] as Perform
    if (methods[call] === 'short') return method(...args)
    const ending = new AbortController()
    underWay.set(id, ending)
    const onProgress = spaced(clock, (progress) => lines.send({ id, progress }))
    const work: Work = { signal: ending.signal, onProgress }
    return method(...args, work).finally(() => underWay.delete(id))
  }
}

const isIn = <T extends object>(table: T, name: string): name is Extract<keyof T, string> =>
  Object.hasOwn(table, name)

/** Passes on no more than a few figures each second: the first at once, and then the newest. */
function spaced(clock: Clock, tell: Work['onProgress']): Work['onProgress'] {
  let toldAt = Number.NEGATIVE_INFINITY
  return (fraction) => {
    if (clock.monotonic() - toldAt < PROGRESS_EVERY_MS) return
    toldAt = clock.monotonic()
    tell(fraction)
  }
}

/** The consoles that one server has open. What changes in them is pushed, so that it is known there without asking. */
function consolesOf(engine: Engine, send: (telling: Telling) => void) {
  const open = new Map<number, Promise<MachineConsole | null>>()

  async function at(key: number): Promise<MachineConsole> {
    const terminal = await open.get(key)
    if (terminal) return terminal
    throw new EngineError('internal', 'The console is no longer open (simulated).', { retryable: true })
  }

  const calls: ConsoleCalls = {
    async openConsole(key, machineId) {
      // Asked for again when the connection came for the sake of it.
      const before = open.get(key)
      if (before !== undefined) return (await before) !== null
      // Noted at once: what is asked of it next may come before it is open.
      const opening = engine.openConsole(machineId)
      open.set(key, opening)
      const terminal = await opening
      if (!terminal) return false
      const look = makeLook(terminal)
      let isPushing = false
      const push = () => {
        isPushing = false
        send({ console: key, look: look() })
      }
      terminal.onChange(() => {
        // Once for all that is printed at one go, and before the answer to who typed it.
        if (!isPushing) queueMicrotask(push)
        isPushing = true
      })
      push()
      return true
    },
    readConsole: async (key, from, max) => (await at(key)).read(from, max),
    writeConsole: async (key, bytes) => (await at(key)).write(bytes),
    resizeConsole: async (key, size) => (await at(key)).resize(size),
    async closeConsole(key) {
      const opening = open.get(key)
      open.delete(key)
      const terminal = await opening
      terminal?.close()
    },
  }
  const closeAll = () => {
    for (const key of open.keys()) calls.closeConsole(key).catch(() => {})
  }
  return { calls, closeAll }
}

/** Looks at a console; notes are told when there are others than before. */
function makeLook(terminal: MachineConsole): () => ConsoleLook {
  let told = ''
  return () => {
    const notes = terminal.notes()
    const text = JSON.stringify(notes)
    const areNew = text !== told
    told = text
    return { extent: terminal.extent(), ...(areNew && { notes }) }
  }
}

type AskingForStream = Extract<Asking, { begin: 'screen' | 'port' }>

async function streamOf(engine: Engine, asking: AskingForStream): Promise<Duplex | null> {
  if (asking.begin === 'screen') return engine.openScreen(asking.machineId)
  const line = await engine.dial(asking.machineId, asking.port)
  return 'stream' in line ? line.stream : null
}

/** The connection becomes that to a screen or a port, or ends. */
async function become(socket: Socket, opening: Promise<Duplex | null>): Promise<void> {
  const stream = await opening.catch(() => null)
  if (!stream || socket.destroyed) {
    stream?.destroy()
    socket.end()
    return
  }
  socket.write(STREAM_COMES)
  stream.on('error', () => stream.destroy()).on('close', () => socket.destroySoon())
  socket.on('close', () => stream.destroy())
  stream.pipe(socket).pipe(stream)
}
