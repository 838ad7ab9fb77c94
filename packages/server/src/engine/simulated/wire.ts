/**
 * What goes over the socket between a simulated world and the servers that reach it: lines of JSON both ways, each
 * bounded in size. A connection is for calls, for one screen, or for one port of a guest; its first line says which.
 */
import type { Socket } from 'node:net'
import { z } from 'zod'
import { lineSplitter } from '../../lib/line-splitter.ts'
import { type Engine, EngineError, type EngineErrorCode, type MachineNote, type Work } from '../engine.ts'

type PlainMethod = Exclude<
  keyof Engine,
  | 'kind'
  | 'capabilities'
  | 'open'
  | 'close'
  | 'onChange'
  | 'reserve'
  | 'openConsole'
  | 'openScreen'
  | 'openDiskFile'
  | 'dial'
>

/**
 * Every method of the port that is one call and one answer; a `long` one has a `Work`. A method that is added to the
 * port does not compile until it stands here, and is served by that.
 */
export const methods = {
  freeMemoryMb: 'short',
  image: 'short',
  lookAtImage: 'short',
  checkImage: 'short',
  createMachine: 'short',
  copyMachine: 'long',
  startMachine: 'short',
  suspendMachine: 'long',
  powerDown: 'short',
  powerOff: 'short',
  deleteMachine: 'short',
  inspect: 'short',
  list: 'short',
  usage: 'short',
  listeningPorts: 'short',
  startScriptResult: 'short',
  hasScreen: 'short',
  createVolume: 'long',
  deleteVolume: 'short',
  inspectVolume: 'short',
  listVolumes: 'short',
  growVolume: 'short',
  growRoot: 'short',
  changeKeys: 'short',
  growMachine: 'short',
  attachVolume: 'short',
  detachVolume: 'long',
  createMachineSnapshot: 'long',
  prepareRestore: 'long',
  switchDisks: 'long',
  dropRestore: 'short',
  deleteMachineSnapshot: 'short',
  createVolumeSnapshot: 'long',
  deleteVolumeSnapshot: 'long',
  inspectSnapshot: 'short',
  checkSnapshot: 'long',
  listSnapshots: 'short',
  putNetwork: 'short',
  networkAddresses: 'short',
  listProjects: 'short',
  deleteProject: 'short',
  saveTo: 'long',
} as const satisfies {
  [M in PlainMethod]: Parameters<Engine[M]> extends [...unknown[], Work] ? 'long' : 'short'
}

export type PlainCalls = Pick<Engine, PlainMethod>

/** What a console is at a moment; without notes they are as before. */
export interface ConsoleLook {
  extent: { first: number; end: number }
  notes?: readonly MachineNote[]
}

/** The calls about a console, by a key that its caller chooses and uses once. */
export interface ConsoleCalls {
  /** Whether there is one. How it is was told before that, and is told whenever it changes. */
  openConsole(key: number, machineId: string): Promise<boolean>
  readConsole(key: number, from: number, max: number): Promise<Buffer>
  writeConsole(key: number, bytes: Buffer): Promise<boolean>
  resizeConsole(key: number, size: { cols: number; rows: number }): Promise<void>
  closeConsole(key: number): Promise<void>
}

/** What a server asks. It wants to hear of changes, a screen or a port; the other lines are for a connection of calls. */
export const Asking = z.union([
  z.strictObject({ begin: z.literal('calls') }),
  z.strictObject({ begin: z.literal('screen'), machineId: z.string() }),
  z.strictObject({ begin: z.literal('port'), machineId: z.string(), port: z.number() }),
  z.strictObject({ id: z.number(), call: z.string(), args: z.array(z.unknown()) }),
  z.strictObject({ abort: z.number() }),
])
export type Asking = z.infer<typeof Asking>

/** What it is told. */
export const Telling = z.union([
  z.strictObject({ changed: z.string() }),
  z.strictObject({ console: z.number(), look: z.custom<ConsoleLook>() }),
  z.strictObject({ id: z.number(), progress: z.number().nullable() }),
  z.strictObject({
    id: z.number(),
    failed: z.object({ code: z.custom<EngineErrorCode>(), message: z.string(), retryable: z.boolean() }),
  }),
  z.strictObject({ id: z.number(), done: z.unknown().optional() }),
])
export type Telling = z.infer<typeof Telling>

/** The byte before those of a screen or a port; where there is none, the connection ends without it. */
export const STREAM_COMES = '+'

/** A list of 50,000 machines is shorter. */
const MAX_LINE_BYTES = 16 * 1024 ** 2
/** Who does not read while so much waits is let go of: it may be stopped for good. */
const MAX_WAITING_BYTES = 2 * MAX_LINE_BYTES

/** As one line; throws when it is longer than one may be. */
export function lineOf(message: Asking | Telling): Buffer {
  const line = Buffer.from(`${JSON.stringify(message, packed)}\n`)
  if (line.length > MAX_LINE_BYTES) throw new EngineError('internal', 'The message is too long (simulated).')
  return line
}

/** Sends and takes lines over a socket; one that is too long, or not understood, ends the connection. */
export function makeLines<T extends Asking | Telling>(
  socket: Socket,
  schema: z.ZodType<T>,
  take: (message: T) => void,
) {
  function takeLine(line: string): void {
    const message = schema.safeParse(parsed(line))
    if (message.success) take(message.data)
    else socket.destroy()
  }
  const split = lineSplitter(takeLine, { maxBytes: MAX_LINE_BYTES, onTooLong: () => socket.destroy() })
  socket.on('error', () => socket.destroy())
  socket.on('data', split)
  return {
    /** What is sent over a connection that is lost is lost. */
    send(message: Asking | Telling): void {
      const line = lineOf(message)
      if (socket.writable) socket.write(line)
      if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy()
    },
    /** Leaves everything that still comes to somebody else. */
    letGo: () => void socket.off('data', split),
    isLost: () => socket.destroyed,
    close: () => void socket.destroy(),
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line, unpacked)
  } catch {
    return undefined
  }
}

/** Maps and bytes, which JSON has not. Bytes say what they are in JSON before anybody is asked, hence `this`. */
function packed(this: Record<string, unknown>, key: string, json: unknown): unknown {
  const value = this[key]
  if (value instanceof Map) return { $map: [...value] }
  return Buffer.isBuffer(value) ? { $bytes: value.toString('base64') } : json
}

function unpacked(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$map' in value && Array.isArray(value.$map)) return new Map(value.$map)
  return '$bytes' in value && typeof value.$bytes === 'string' ? Buffer.from(value.$bytes, 'base64') : value
}
