/** Lines to living guests through the cluster: to their ports, consoles and screens. */
import type { Duplex } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/pause.ts'
import { type Engine, EngineError } from '../engine.ts'
import type { Ground } from './ground.ts'
import { KubeError } from './kube/kube-error.ts'
import { pathTo } from './kube/objects.ts'
import type { MirroredInstance } from './mirror.ts'

const streams = {
  group: 'subresources.kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineinstances',
} as const

const dialMs = 10_000
const screenMs = 10_000
/** A page that is loaded again comes before the cluster knows that the old one has left. */
const screenPausesMs = [300, 1000]
const greetingMs = 5000

const unreachable = (sentence: string, cause?: unknown) =>
  new EngineError('unreachable', sentence, { retryable: true, cause })

/** The living instance of a machine, as far as the mirror knows. */
export function livingInstance(
  { mirror }: Pick<Ground, 'mirror'>,
  machineId: string,
): MirroredInstance | null {
  return mirror.instances.by('id', machineId).find((one) => one.status?.phase === 'Running') ?? null
}

export const isPaused = ({ status }: MirroredInstance): boolean =>
  status?.conditions?.some((one) => one.type === 'Paused' && one.status === 'True') ?? false

/** Opens a part of an instance that is a stream, such as `console`. Throws a KubeError. */
export const openPart = (
  { client }: Pick<Ground, 'client'>,
  { namespace, name }: Pick<MirroredInstance, 'namespace' | 'name'>,
  part: string,
  options: { signal?: AbortSignal; deadlineMs?: number } = {},
): Promise<Duplex> => client.openStream(pathTo(streams, { namespace, name }, part), options)

export function makeLines(ground: Ground) {
  const { clock } = ground

  function living(machineId: string): MirroredInstance {
    const instance = livingInstance(ground, machineId)
    if (!instance) throw unreachable('The VM is not running.')
    if (isPaused(instance)) throw unreachable('The VM is paused.')
    return instance
  }

  async function dialStream(machineId: string, port: number): Promise<Duplex> {
    const instance = living(machineId)
    try {
      const stream = await openPart(ground, instance, `portforward/${port}/tcp`, { deadlineMs: dialMs })
      return calm(stream)
    } catch (error) {
      throw unreachable(whyNoLine(error, port), error)
    }
  }

  return {
    dial: async (machineId, port) => ({ stream: await dialStream(machineId, port) }),

    async hasScreen(machineId) {
      return ground.mirror.machines.by('id', machineId).some((one) => one.hasScreen)
    },

    /**
     * On QEMU several people look at one screen. KubeVirt has one connection for it, and lets the newest take it from
     * the one before unless asked not to. We do ask (`preserveSession`): who comes second is told that somebody else is
     * there. A refusal shows either as an answer or as a line that ends before the screen's first word.
     */
    async openScreen(machineId) {
      const instance = livingInstance(ground, machineId)
      if (!instance || !(await this.hasScreen(machineId))) return null
      for (const waitMs of [...screenPausesMs, null]) {
        const screen = await openScreenOnce(ground, instance)
        if (screen) return screen
        if (waitMs !== null) await pause(clock, waitMs)
      }
      throw unreachable(
        'Someone else is viewing the screen of this VM. Only one person can view it at a time.',
      )
    },

    /** Whether an SSH server greets at port 22 of a guest now. Never throws. */
    async answers(machineId: string): Promise<boolean> {
      const stream = await dialStream(machineId, 22).catch(() => null)
      if (!stream) return false
      const greeting = await firstBytes(stream, 4, greetingMs, clock)
      stream.destroy()
      return greeting?.toString('latin1').startsWith('SSH-') ?? false
    },
  } satisfies Pick<Engine, 'dial' | 'hasScreen' | 'openScreen'> & Record<string, unknown>
}

export type Lines = ReturnType<typeof makeLines>

/** Null while somebody else has it. */
async function openScreenOnce(ground: Ground, instance: MirroredInstance): Promise<Duplex | null> {
  let screen: Duplex
  try {
    screen = calm(await openPart(ground, instance, 'vnc?preserveSession=true', { deadlineMs: screenMs }))
  } catch (error) {
    if (error instanceof KubeError && isTaken(error)) return null
    throw unreachable(whyNoLine(error, null), error)
  }
  const greeting = await firstBytes(screen, 1, screenMs, ground.clock)
  if (greeting === null) {
    const ended = screen.readableEnded || screen.destroyed
    screen.destroy()
    if (ended) return null
    throw unreachable('The screen of the VM does not respond.')
  }
  screen.unshift(greeting)
  return screen
}

const isTaken = ({ message }: KubeError): boolean =>
  /active vnc connection|already.*(session|connect)/i.test(message)

/** A stream whose other end breaks off without anybody listening does not end the process. */
function calm(stream: Duplex): Duplex {
  stream.on('error', () => stream.destroy())
  return stream
}

/** What comes first, at least so many bytes; null when it ends or takes too long before that. */
function firstBytes(
  stream: Duplex,
  least: number,
  withinMs: number,
  clock: Pick<Clock, 'after'>,
): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let got: Buffer = Buffer.alloc(0)
    const settle = (answer: Buffer | null) => {
      cancel()
      stream.off('readable', look).off('end', ended).off('close', ended)
      resolve(answer)
    }
    const ended = () => settle(null)
    const look = () => {
      const chunk: Buffer | null = stream.read()
      if (chunk) got = Buffer.concat([got, chunk])
      if (got.length >= least) settle(got)
    }
    const cancel = clock.after(withinMs, ended)
    stream.on('readable', look).on('end', ended).on('close', ended)
    look()
  })
}

/** @param port null for a screen */
function whyNoLine(error: unknown, port: number | null): string {
  const what = port === null ? 'The screen of the VM' : `Port ${port} of the VM`
  if (!(error instanceof KubeError)) return `${what} could not be reached.`
  if (/connection refused/i.test(error.message)) return `Nothing in the VM listens on port ${port}.`
  if (/is paused/i.test(error.message)) return 'The VM is paused.'
  if (/not running|not started|failed status/i.test(error.message)) return 'The VM is not running.'
  switch (error.kind) {
    case 'not-found':
      return 'The VM is not running.'
    case 'forbidden':
      return `${what} could not be reached: the cluster does not allow Slipway to do this.`
    case 'away':
      return `${what} could not be reached: the cluster did not respond in time.`
    default:
      return `${what} could not be reached: the cluster reported an error.`
  }
}
