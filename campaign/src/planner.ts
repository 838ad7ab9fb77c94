/** Chooses the next step of a campaign from what the users know. Pure but for the state of its random generator. */
import { type Fault, faults } from './faults.ts'
import type { Host } from './host.ts'
import { operations } from './operations.ts'
import { makeRandom } from './random.ts'
import type { Script, Step } from './script.ts'
import type { World } from './world.ts'

export interface Moment {
  world: World
  /** Users without a call under way. */
  idle: readonly number[]
  /** Whether a fault is in force now. */
  fault: boolean
}

/** Gives the next step; null ends the campaign. */
export type NextStep = (moment: Moment) => Step | null

export interface PlanOptions {
  seed: number
  engine: Script['engine']
  /** How many steps lie between two faults, and between two settled looks, on average. */
  faultEvery: number
  settleEvery: number
  /** The longest wait between two steps. */
  waitMs: number
  faults: readonly Fault[]
}

const table = Object.entries(operations).map(([name, operation]) => ({ name, ...operation }))

/** The faults that can be dealt on a host, and why the others cannot. */
export function faultsFor(host: Host): { possible: Fault[]; missing: string[] } {
  const ofEngine = faults.filter(({ engines }) => engines.includes(host.engine))
  const why = (fault: Fault) => fault.missing?.(host) ?? null
  return {
    possible: ofEngine.filter((fault) => why(fault) === null),
    missing: ofEngine.flatMap((fault) => (why(fault) === null ? [] : [`${fault.name}: ${why(fault)}`])),
  }
}

export function makePlanner(options: PlanOptions, first: number): NextStep {
  const random = makeRandom(options.seed)
  let n = first
  let untilSettled = options.settleEvery
  return ({ world, idle, fault }) => {
    const step = { n: n++, wait: random.below(options.waitMs) }
    if (untilSettled-- <= 0) {
      untilSettled = options.settleEvery
      return { ...step, do: 'settle' }
    }
    if (!fault && random.chance(1 / options.faultEvery)) {
      const chosen = random.weighted(options.faults)
      if (chosen) return { ...step, do: 'fault', fault: chosen.name, seed: random.below(2 ** 31) }
    }
    const { engine } = options
    for (let tries = 0; tries < 50; tries++) {
      const user = random.pick(idle)
      const operation = random.weighted(table)
      if (user === undefined || !operation) break
      const args = operation.choose({ world, user, random, engine, handle: `s${step.n}` })
      if (args) return { ...step, do: 'operation', user, operation: operation.name, args }
    }
    return { ...step, do: 'settle' }
  }
}

/** Does the steps of a script again. */
export function makeReplay(steps: readonly Step[]): NextStep {
  const left = [...steps]
  return () => left.shift() ?? null
}
