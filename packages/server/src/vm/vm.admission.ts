/**
 * Who may start now, on an engine that has one host; one that finds places by itself takes every start at once. Every start passes here: the first one, one that a user asks for, one after a reboot of the host
 * and one after a restore. A start takes memory and one of the host's few start slots; both are given back when the
 * guest ends, the slot already when the guest is up.
 *
 * Two VMs must never be promised the same memory, so one is admitted at a time. That holds for the looks of one
 * server process, of which there is one (`lib/own-directory.ts`).
 */
import { formatMemory } from '@slipway/contract'
import type { Engine } from '../engine/engine.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { VmRepo } from './vm.repo.ts'
import type { VmRecord } from './vm.state.ts'

/** What the host allows a VM now. `step` and `why` say what it waits for when there is no room. */
export interface Room {
  room: boolean
  step: 'turn' | 'room'
  why: string
  /** When to ask again, in milliseconds; with many waiting, each asks so much more rarely. */
  askAgainMs: number
}

export interface Admission {
  /** Looks for room for a VM and carries out `then` with the answer, while nobody else is admitted. */
  admit: <T>(vm: VmRecord, then: (room: Room) => Promise<T>) => Promise<T>
  /**
   * Promises more memory to a VM that runs, until the engine counts it as given: the caller says when. Null: there is no room
   * for it.
   */
  lend: (vm: VmRecord, moreMb: number) => Promise<(() => void) | null>
  /** The VM does not wait any more. */
  leave: (vmId: string) => void
  /** Memory or a start slot became free: those that wait longest are looked at. */
  wakeWaiting: () => void
}

/** A guest that boots for longer than this no longer keeps others from starting. */
const slotMs = 3 * 60_000
const askEveryMs = 2_000
/** About 200 questions a second in all. */
const msPerWaiting = 5

export function makeAdmission(options: {
  repo: VmRepo
  engine: Engine
  clock: Clock
  /** How many guests may be on their way up at once. */
  startsAtOnce: number
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
}): Admission {
  const { repo, engine, clock, startsAtOnce, wake } = options
  let last: Promise<unknown> = Promise.resolve()
  /** Memory that is being given to VMs that run, in MiB. */
  const lent = new Map<string, number>()
  /** VMs that wait for room or for a start slot, in the order they came. */
  const waiting = new Set<string>()

  /** Asked once, because counting the memory of many guests takes its time. */
  let findsThem: boolean | null = null
  async function findsPlaces(): Promise<boolean> {
    findsThem ??= (await engine.freeMemoryMb()) === null
    return findsThem
  }

  async function roomFor(vm: VmRecord): Promise<Omit<Room, 'askAgainMs'>> {
    if (await findsPlaces()) return { room: true, step: 'turn', why: '' }
    const { promisedMb, starting } = await repo.admittedBeside(vm.id, isoTime(clock.now() - slotMs))
    if (starting >= startsAtOnce) {
      const why = `Waiting for a start slot: ${starting} VMs are starting on this host.`
      return { room: false, step: 'turn', why }
    }
    const free = await freeBeside(promisedMb)
    const needs = formatMemory(vm.memoryMb)
    const why = `Needs ${needs} of memory, but the host has ${formatMemory(Math.floor(free))} free. The VM starts when another VM stops.`
    return { room: free >= vm.memoryMb, step: 'room', why }
  }

  /** What nobody has, and nobody was promised. */
  async function freeBeside(promisedMb: number): Promise<number> {
    const lentMb = [...lent.values()].reduce((total, mb) => total + mb, 0)
    return Math.max(0, ((await engine.freeMemoryMb()) ?? 0) - promisedMb - lentMb)
  }

  function oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  return {
    admit: (vm, then) =>
      oneByOne(async function admitOne() {
        const answer = await roomFor(vm)
        if (answer.room) waiting.delete(vm.id)
        else waiting.add(vm.id)
        return then({ ...answer, askAgainMs: Math.max(askEveryMs, waiting.size * msPerWaiting) })
      }),

    lend: (vm, moreMb) =>
      oneByOne(async function lendTo() {
        if (moreMb === 0 || (await findsPlaces())) return () => {}
        const { promisedMb } = await repo.admittedBeside(vm.id, isoTime(clock.now()))
        if ((await freeBeside(promisedMb)) < moreMb) return null
        lent.set(vm.id, moreMb)
        return () => void lent.delete(vm.id)
      }),

    leave: (vmId) => void waiting.delete(vmId),

    wakeWaiting() {
      for (const id of [...waiting].slice(0, startsAtOnce)) {
        waiting.delete(id)
        wake(id)
      }
    },
  }
}
