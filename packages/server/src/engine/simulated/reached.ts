/**
 * The simulated engine in a process of its own (`served.ts`), reached over a socket: several servers share its
 * machines, as they would those of a cluster, and a server that is killed takes none of them along.
 */
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { connectUnix } from '../../lib/unix-socket.ts'
import { type Capabilities, type Engine, EngineError } from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import { makeReachedConsole, nothingPrinted } from './reached-console.ts'
import { ANSWER_WITHIN_MS, away, makeReachedLine, type ReachedOptions } from './reached-line.ts'
import { nothingToReach, simulatedCapabilities } from './simulated.ts'
import { type Asking, type ConsoleLook, lineOf, methods, type PlainCalls, STREAM_COMES } from './wire.ts'

export function makeReachedEngine(options: ReachedOptions): Engine {
  const listeners = new Set<(machineId: string) => void>()
  const consoles = new Map<number, { machineId: string; take: (look: ConsoleLook) => void }>()
  let lastKey = 0
  /** What the host can do, which it says when it is reached first. */
  let capabilities = simulatedCapabilities
  const line = makeReachedLine(options, {
    onChanged(machineId) {
      for (const listener of listeners) listener(machineId)
    },
    onLook: (key, look) => consoles.get(key)?.take(look),
    // A console goes on from its offsets, which stay the same; that of a machine that is gone has nothing more.
    onReached(openConsole) {
      for (const [key, { machineId, take }] of consoles)
        openConsole(key, machineId).then(
          (isThere) => isThere || take(nothingPrinted),
          // Lost again.
          () => {},
        )
    },
  })

  const plain = Object.entries(methods).map(([method, length]) => [
    method,
    length === 'short'
      ? (...args: unknown[]) => line.ask(method, args)
      : // The last argument of a long one is its work: `methods` is checked for that.
        (...args: unknown[]) => line.ask(method, args.slice(0, -1), args.at(-1) as never),
  ])

  return {
    // One function for each method, as the table has it; what comes back was made by the engine itself.
    ...(Object.fromEntries(plain) as PlainCalls),
    kind: 'simulated',
    get capabilities(): Capabilities {
      // A file lies with one server, and the next piece of it may come to another.
      const cannot = { ...capabilities.cannot, diskFiles: clusterLimits.diskFiles }
      return { ...capabilities, cannot, reach: 'any-server' }
    },
    async open() {
      await line.open()
      capabilities = (await line.ask('capabilities', [])) as Capabilities
    },
    async close() {
      listeners.clear()
      line.close()
    },
    reserve: null,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async openConsole(machineId) {
      const key = ++lastKey
      const terminal = makeReachedConsole(line, key, () => consoles.delete(key))
      consoles.set(key, { machineId, take: terminal.take })
      try {
        if (await line.askConsole('openConsole', key, machineId)) return terminal
      } catch (error) {
        terminal.close()
        throw error
      }
      terminal.close()
      return null
    },
    async dial(machineId, port) {
      const stream = port === 22 ? null : await openStream(options, { begin: 'port', machineId, port })
      if (stream) return { stream }
      throw new EngineError('unreachable', port === 22 ? nothingToReach : nothingAnswers)
    },
    openDiskFile: async () => {
      throw new EngineError('unsupported', clusterLimits.diskFiles)
    },
    openScreen: (machineId) => openStream(options, { begin: 'screen', machineId }),
  }
}

const nothingAnswers = 'This VM is not running, or nothing listens on this port of it (simulated).'

/** A connection of its own, which is the screen or the port once its first byte has come. */
async function openStream({ path }: ReachedOptions, asking: Asking): Promise<Duplex | null> {
  const socket = await connectUnix(path).catch((error: unknown) => {
    throw away(error)
  })
  socket.write(lineOf(asking))
  try {
    await once(socket, 'readable', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  } catch (error) {
    socket.destroy()
    throw away(error)
  }
  // What is behind it stays for who asked for it.
  if (socket.read(STREAM_COMES.length) !== null) return socket
  socket.destroy()
  return null
}
