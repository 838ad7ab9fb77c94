/** Chooses the next step of a campaign from what the users know. Pure but for the state of its random generator. */

import { makeRandom } from '@slipway/e2e/random'
import { type AnyHost, type Dealt, faultsOf } from './faults.ts'
import { operations } from './operations.ts'
import type { Args, EngineName, Step } from './script.ts'
import { alone, type World } from './world.ts'

export interface Moment {
  world: World
  /** Users without a call under way. */
  idle: readonly number[]
  /** Whether a fault is in force now. */
  fault: boolean
}

/** Gives the next step; null ends the campaign. */
export type NextStep = (moment: Moment) => Step | null

interface PlanOptions {
  seed: number
  engine: EngineName
  /** How many steps lie between two faults, and between two settled looks, on average. */
  faultEvery: number
  settleEvery: number
  /** The longest wait between two steps. */
  waitMs: number
  faults: readonly Dealt[]
  often: readonly string[]
}

/** The operations with their weights: those that come often weigh as much as all others together. */
function weighted(often: readonly string[]) {
  const unknown = often.filter((name) => !(name in operations))
  if (unknown.length > 0) throw new Error(`There is no operation ${unknown.join(', ')}`)
  const all = Object.entries(operations).map(([name, operation]) => ({ name, ...operation }))
  const sum = (some: typeof all) => some.reduce((total, { weight }) => total + weight, 0)
  const isOften = ({ name }: { name: string }) => often.includes(name)
  const ofThem = sum(all.filter(isOften))
  const factor = (sum(all) - ofThem) / ofThem
  return all.map((one) => (isOften(one) ? { ...one, weight: one.weight * factor } : one))
}

/** How often an operation on a VM or disk is followed at once by another one on the same. */
const pairChance = 0.35

/** The user and the VM or disk of an operation. */
interface Pair {
  user: number
  handle: string
}

function pairOf(world: World, user: number, args: Args): Pair | null {
  for (const handle of [args.vm, args.on].map(String)) {
    const kind = world.objects.get(handle)?.kind
    if (kind === 'vm' || kind === 'disk') return { user, handle }
  }
  return null
}

function makePlanner(options: PlanOptions, first: number): NextStep {
  const table = weighted(options.often)
  let last: Pair | null = null
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
    // A second change of the same VM or disk, while the first is under way.
    const pair = last && idle.includes(last.user) && random.chance(pairChance) ? last : null
    last = null
    for (let tries = 0; tries < 50; tries++) {
      const user = pair?.user ?? random.pick(idle)
      const operation = random.weighted(table)
      if (user === undefined || !operation) break
      const args = operation.choose({
        world: pair ? alone(world, pair.handle) : world,
        user,
        random,
        engine,
        handle: `s${step.n}`,
      })
      if (!args || (pair && !Object.values(args).includes(pair.handle))) continue
      last = pairOf(world, user, args)
      // People press twice, and programs try again.
      const twice = operation.creates !== undefined && random.chance(0.15)
      const all = twice ? { ...args, twice } : args
      return { ...step, do: 'operation', user, operation: operation.name, args: all }
    }
    return { ...step, do: 'settle' }
  }
}

export interface Course {
  seed: number
  /** As many kill -9 of the server, of several that which drives or the recorder, and no other fault; null for all faults until the time ends. */
  kills: number | null
  /** Steps between two faults, on average; by default few with kills, more without. */
  every?: number
  /** Only these faults. */
  only?: readonly string[]
  /** These operations half of the time. */
  often?: readonly string[]
  /** Hears what cannot be dealt here and why, and how far it came. */
  log: (line: string) => void
}

function killsOf({ kind, engine }: AnyHost): string[] {
  if (kind === 'one') return ['kill-server']
  return engine === 'kubevirt' ? ['kill-driver', 'kill-recorder'] : ['kill-driver']
}

const waitMs = { simulated: 40, qemu: 2_000, kubevirt: 200 }

/** The steps of a new campaign. */
export function planSteps({
  seed,
  kills,
  every,
  only,
  often = [],
  log,
}: Course): (host: AnyHost, first: number) => NextStep {
  return (host, first) => {
    const faults = faultsOf(host)
    const names = kills === null ? only : killsOf(host)
    const unknown = names?.filter((name) => !faults.some((fault) => fault.name === name)) ?? []
    if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')} here`)
    if (!names)
      for (const { name, missing } of faults) if (missing) log(`not dealt here: ${name}: ${missing}`)
    const chosen = faults.filter(({ name, missing }) => missing === null && (names?.includes(name) ?? true))
    const next = makePlanner(
      {
        seed,
        engine: host.engine,
        faultEvery: every ?? (kills === null ? 30 : 8),
        settleEvery: kills === null ? 250 : 300,
        waitMs: waitMs[host.engine],
        faults: chosen,
        often,
      },
      first,
    )
    let dealt = 0
    return (moment) => {
      if (kills !== null && dealt >= kills) return null
      const step = next(moment)
      if (step?.do === 'fault' && ++dealt % 100 === 0) log(`${dealt} faults so far`)
      return step
    }
  }
}

/** Does the steps of a script again. */
export function makeReplay(steps: readonly Step[]): NextStep {
  const left = [...steps]
  return () => left.shift() ?? null
}
