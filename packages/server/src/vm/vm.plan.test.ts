import { VmStatus } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import {
  canGrowRoot,
  deadlineMs,
  isAlive,
  isDoomed,
  isHeld,
  type Known,
  plan,
  type Seen,
  type Step,
  type Surroundings,
  seenPowers,
  statusOf,
  type Wanted,
} from './vm.plan.ts'

interface World {
  wanted: Wanted
  known: Known
  seen: Seen
  around: Surroundings
  gone: boolean
}

/** How guest and host behave in one walk; every walk is deterministic. */
interface Nature {
  guest: 'obedient' | 'deaf' | 'immortal' | 'never-ready' | 'crashes' | 'powers-off'
  parts: 'arrive' | 'never'
  room: 'frees' | 'never'
  host: 'able' | 'unable'
}

const bools = [false, true] as const
/** There, in the bin, and deleted for good. */
const lives = [
  [false, false],
  [true, true],
  [true, false],
] as const
const powers: readonly Seen['power'][] = seenPowers
const exits: Seen['exit'][] = [null, 'asked', 'clean', 'reboot', 'host-restart', 'crashed']

function* everyWorld(): Generator<World> {
  for (const power of ['on', 'off', 'suspended'] as const)
    for (const force of bools)
      for (const restarts of [0, 1])
        for (const [deleted, kept] of lives)
          for (const admitted of bools)
            for (const provisioned of bools)
              for (const fault of [null, 'failed', 'error', 'lost'] as const)
                for (const judged of bools)
                  for (const seenPower of powers)
                    for (const exit of exits)
                      for (const parts of ['ready', 'coming', 'unavailable'] as const)
                        for (const room of bools)
                          for (const deadline of ['ahead', 'passed', 'long-passed'] as const)
                            for (const restore of [null, 'asked', 'prepared'] as const) {
                              // What goes to the bin was made, and is not being restored.
                              if (kept && (restore !== null || !provisioned)) continue
                              if (kept && fault === 'failed') continue
                              const alive = isAlive({ power: seenPower })
                              // A living guest has no exit; a machine that never ran has neither exit nor run.
                              if (alive && exit !== null) continue
                              if (seenPower === 'unreadable' && exit !== null) continue
                              // The run of a suspended one was ended by us.
                              if (seenPower === 'suspended' && exit !== 'asked') continue
                              const run = alive || exit !== null ? 'run-1' : null
                              yield {
                                wanted: { power, force, restarts, deleted, kept, restore: restore !== null },
                                known: {
                                  admitted,
                                  provisioned,
                                  restarts: 0,
                                  judgedRun: judged ? run : null,
                                  fault,
                                  // Only a living guest can be silent; both of its kinds are walked.
                                  silent: alive && judged && !isHeld({ power: seenPower }),
                                  restorePrepared: restore === 'prepared',
                                },
                                seen: { power: seenPower, exit, run },
                                around: { parts, room, deadline },
                                gone: false,
                              }
                            }
}

/** A nature that notes which of its traits a walk asks about; its code has a digit for each trait. */
interface WatchedNature extends Nature {
  code: number
}
const traits = { guest: 0o700, parts: 0o070, room: 0o004, host: 0o002 } as const
/** The digits of the traits that were asked about. */
let asked = 0

function watch(code: number, { guest, parts, room, host }: Nature): WatchedNature {
  const note = <T>(trait: keyof typeof traits, value: T): T => {
    asked |= traits[trait]
    return value
  }
  return {
    code,
    get guest() {
      return note('guest', guest)
    },
    get parts() {
      return note('parts', parts)
    },
    get room() {
      return note('room', room)
    },
    get host() {
      return note('host', host)
    },
  }
}

const natures: WatchedNature[] = []
for (const [g, guest] of (
  ['obedient', 'deaf', 'immortal', 'never-ready', 'crashes', 'powers-off'] as const
).entries())
  for (const [p, parts] of (['arrive', 'never'] as const).entries())
    for (const [r, room] of (['frees', 'never'] as const).entries())
      for (const [h, host] of (['able', 'unable'] as const).entries())
        natures.push(watch(g * 0o100 + p * 0o010 + r * 0o004 + h * 0o002, { guest, parts, room, host }))

/**
 * Walks from a world with every nature. Natures that differ only in traits that a walk never asks about walk alike, so
 * one of them stands for all. Gives back how many natures were walked or stood for.
 */
function walkWithEvery(walk: (nature: Nature) => void): number {
  const walked: { code: number; asked: number }[] = []
  for (const nature of natures) {
    if (walked.some((one) => (one.code & one.asked) === (nature.code & one.asked))) continue
    asked = 0
    walk(nature)
    walked.push({ code: nature.code, asked })
  }
  return natures.length
}

let runs = 1

/** Does a step to the world as the reconciler and an engine would. */
function act(world: World, step: Step, nature: Nature): World {
  const { wanted, known, seen, around } = world
  const before = statusOf(wanted, known, seen)
  const next = { ...world, around: { ...around } }
  const offBy = (exit: Seen['exit']): Seen => ({ power: 'off', exit, run: seen.run })
  switch (step.do) {
    case 'create':
      if (nature.host === 'unable') {
        next.around.deadline = later(around.deadline)
        break
      }
      next.seen = { power: 'off', exit: null, run: null }
      break
    case 'start':
      if (nature.host === 'unable') {
        next.around.deadline = later(around.deadline)
        break
      }
      next.seen = { power: 'booting', exit: null, run: `run-${++runs}` }
      break
    case 'power-down':
      if (nature.guest === 'deaf' || nature.guest === 'immortal')
        next.around.deadline = later(around.deadline)
      else next.seen = offBy('asked')
      break
    case 'power-off':
      if (nature.guest === 'immortal') next.around.deadline = later(around.deadline)
      else next.seen = offBy('asked')
      break
    case 'suspend':
      // Its guest may end meanwhile, and the host may not be able to, which is told by a failed job.
      if (nature.host === 'unable') next.wanted = { ...wanted, power: wanted.kept ? 'off' : 'on' }
      else if (nature.guest === 'crashes') next.seen = offBy('crashed')
      else if (nature.guest === 'powers-off') next.seen = offBy('clean')
      else if (nature.guest === 'immortal') next.around.deadline = later(around.deadline)
      else next.seen = { ...offBy('asked'), power: 'suspended' }
      break
    case 'discard-memory':
      next.seen = { ...seen, power: 'off' }
      break
    case 'not-suspended':
      next.wanted = { ...wanted, power: wanted.kept ? 'off' : 'on' }
      break
    case 'memory-lost':
      next.wanted = { ...wanted, power: 'off' }
      break
    case 'delete':
      next.seen = { power: 'absent', exit: null, run: null }
      break
    case 'admit':
      next.known = { ...known, admitted: true }
      break
    case 'up':
      next.known = { ...known, admitted: true, provisioned: true, silent: false }
      break
    case 'silent':
      next.known = { ...known, silent: true }
      break
    case 'found':
      next.known = { ...known, fault: null }
      break
    case 'down':
      next.known = {
        ...known,
        admitted: false,
        silent: false,
        provisioned: known.provisioned || (!known.fault && seen.power === 'off'),
        judgedRun: seen.run,
        restarts: wanted.restarts,
      }
      break
    case 'off-by-guest':
      next.wanted = { ...wanted, power: 'off' }
      next.known = { ...known, judgedRun: seen.run, silent: false }
      break
    case 'restarted':
      next.known = {
        ...known,
        admitted: false,
        silent: false,
        judgedRun: seen.run,
        restarts: wanted.restarts,
      }
      break
    case 'again':
      next.known = { ...known, admitted: false, silent: false, judgedRun: seen.run }
      break
    case 'fault':
      next.wanted = { ...wanted, restore: false }
      next.known = {
        ...known,
        judgedRun: seen.run,
        silent: false,
        fault: !known.provisioned ? 'failed' : step.reason === 'root-disk-lost' ? 'lost' : 'error',
        restorePrepared: false,
      }
      break
    case 'prepare-restore':
      if (nature.host === 'unable') next.wanted = { ...wanted, restore: false }
      else next.known = { ...known, restorePrepared: true }
      break
    case 'switch-disks':
      next.wanted = { ...wanted, restore: false, force: false }
      next.known = {
        ...known,
        judgedRun: seen.run ?? known.judgedRun,
        restarts: wanted.restarts,
        admitted: false,
        silent: false,
        provisioned: true,
        fault: null,
        restorePrepared: false,
      }
      if (seen.power === 'broken') next.seen = { power: 'off', exit: null, run: null }
      break
    case 'drop-restore':
      next.wanted = { ...wanted, restore: false }
      next.known = { ...known, restorePrepared: false }
      break
    case 'forget':
      next.gone = true
      break
    case 'wait':
      // A guest that is held is let go as what it waits for comes.
      if (seen.power === 'held-by-room' && nature.room === 'frees') next.seen = { ...seen, power: 'booting' }
      else if (seen.power === 'held-by-parts' && nature.parts === 'arrive')
        next.seen = { ...seen, power: 'booting' }
      else if (isHeld(seen)) next.around.deadline = later(around.deadline)
      else if (step.for === 'parts' && nature.parts === 'arrive') next.around.parts = 'ready'
      else if (step.for === 'room' && nature.room === 'frees') next.around.room = true
      else if (step.for === 'guest' && nature.guest === 'crashes') next.seen = offBy('crashed')
      else if (step.for === 'guest' && nature.guest === 'powers-off') next.seen = offBy('clean')
      else if (step.for === 'guest' && nature.guest !== 'never-ready') next.seen = { ...seen, power: 'ready' }
      else next.around.deadline = later(around.deadline)
      break
  }
  // A deadline belongs to a status: a new status starts a new one.
  if (statusOf(next.wanted, next.known, next.seen) !== before) next.around.deadline = 'ahead'
  return next
}

const later = (deadline: Surroundings['deadline']): Surroundings['deadline'] =>
  deadline === 'ahead' ? 'passed' : 'long-passed'

/** What would run a guest, or run it longer. */
const starting: readonly Step['do'][] = ['create', 'start', 'again']

/** A member that is in the bin with its group and was not put to rest yet. */
const wantsRest = ({ wanted, known }: World): boolean =>
  wanted.kept && wanted.power === 'on' && known.fault === null

/** As `vm.bin.ts` puts it to rest, once it has arrived somewhere. */
const atRest = (world: World): World => ({
  ...world,
  wanted: {
    ...world.wanted,
    power: isAlive(world.seen) || world.seen.power === 'suspended' ? 'suspended' : 'off',
  },
  around: { ...world.around, deadline: 'ahead' },
})

/** Walks from a world until it rests, and expects that it rests where it should. */
function expectRest(start: World, nature: Nature): void {
  let world = start
  let steps = 0
  for (;;) {
    const step = plan(world.wanted, world.known, world.seen, world.around)
    if (wantsRest(world) && starting.includes(step.do))
      expect.fail(`starts in the bin: ${JSON.stringify(start)}`)
    if (step.do === 'rest') {
      if (!wantsRest(world) || world.seen.power === 'unreadable') break
      world = atRest(world)
    } else world = act(world, step, nature)
    if (world.gone) break
    // An immortal guest that should be gone stays a fault that is tried again for ever, with a truthful status.
    if (world.known.fault && !world.wanted.restore && isAlive(world.seen) && nature.guest === 'immortal')
      break
    if (++steps > 24) {
      expect.fail(`no rest after ${steps} steps from ${JSON.stringify(start)} with ${JSON.stringify(nature)}`)
    }
  }
  if (world.gone) {
    if (!isDoomed(world.wanted) || world.seen.power !== 'absent')
      expect.fail(`forgotten too early: ${JSON.stringify(start)}`)
    return
  }
  // Nothing is done to what cannot be read; it goes on when it can be.
  if (world.seen.power === 'unreadable') return
  const status = statusOf(world.wanted, world.known, world.seen)
  const settled = ['running', 'suspended', 'stopped', 'failed', 'error']
  if (isDoomed(world.wanted) || !settled.includes(status)) {
    expect.fail(`rests as ${status} from ${JSON.stringify(start)} with ${JSON.stringify(nature)}`)
  }
  const isUp = world.seen.power === 'ready' || (isAlive(world.seen) && world.known.silent)
  if ((status === 'running') !== (isUp && !world.known.fault)) {
    expect.fail(`says ${status} but the guest is ${world.seen.power}, from ${JSON.stringify(start)}`)
  }
  if ((status === 'suspended') !== (world.seen.power === 'suspended' && !world.known.fault)) {
    expect.fail(`says ${status} but the guest is ${world.seen.power}, from ${JSON.stringify(start)}`)
  }
  if (world.known.admitted && !isAlive(world.seen)) {
    expect.fail(`holds memory for a guest that is not there, from ${JSON.stringify(start)}`)
  }
}

describe('the plan of a VM', () => {
  it('converges from every combination of wish and sight, whatever guest and host do, and then rests', {
    tags: ['long'],
  }, () => {
    let walks = 0
    for (const start of everyWorld()) walks += walkWithEvery((nature) => expectRest(start, nature))
    expect(walks).toBeGreaterThan(1_000_000)
  })

  it('never starts, creates or asks anything of a VM that is to be deleted', () => {
    for (const world of everyWorld()) {
      if (!isDoomed(world.wanted)) continue
      const step = plan(world.wanted, world.known, world.seen, world.around)
      if (step.do !== 'delete' && step.do !== 'forget')
        expect.fail(`${step.do} from ${JSON.stringify(world)}`)
    }
  })

  it('neither starts nor removes a VM in the bin', () => {
    const never = ['create', 'start', 'admit', 'again', 'restarted', 'delete', 'forget', 'switch-disks']
    for (const world of everyWorld()) {
      if (!world.wanted.kept) continue
      const step = plan(world.wanted, world.known, world.seen, world.around)
      // What lives has its memory already.
      if (step.do === 'admit' && isAlive(world.seen)) continue
      if (never.includes(step.do)) expect.fail(`${step.do} from ${JSON.stringify(world)}`)
    }
  })

  it('never launches a guest without memory set aside for it', () => {
    for (const world of everyWorld()) {
      const step = plan(world.wanted, world.known, world.seen, world.around)
      if ((step.do === 'start' || step.do === 'create') && !world.known.admitted) {
        expect.fail(JSON.stringify(world))
      }
    }
  })

  it('says only words of the wire', () => {
    for (const world of everyWorld()) VmStatus.parse(statusOf(world.wanted, world.known, world.seen))
  })

  it('suspends only what is wanted suspended, and gives up a saved memory only when it is wanted off', () => {
    for (const world of everyWorld()) {
      const { wanted, seen } = world
      const step = plan(wanted, world.known, seen, world.around).do
      if (step === 'suspend' && (wanted.power !== 'suspended' || !isAlive(seen)))
        expect.fail(JSON.stringify(world))
      if (step === 'discard-memory' && wanted.power !== 'off') expect.fail(JSON.stringify(world))
      if (step === 'power-off' && seen.power === 'suspended') expect.fail(JSON.stringify(world))
    }
  })

  const wanted: Wanted = {
    power: 'on',
    force: false,
    restarts: 0,
    deleted: false,
    kept: false,
    restore: false,
  }
  const known: Known = {
    admitted: true,
    provisioned: true,
    restarts: 0,
    judgedRun: null,
    fault: null,
    silent: false,
    restorePrepared: false,
  }
  const around: Surroundings = { parts: 'ready', room: true, deadline: 'ahead' }
  const off: Wanted = { ...wanted, power: 'off' }
  const suspend: Wanted = { ...wanted, power: 'suspended' }
  const alive: Seen = { power: 'ready', exit: null, run: 'r' }
  const kept: Seen = { power: 'suspended', exit: 'asked', run: 'r' }
  const neverRan: Seen = { power: 'off', exit: null, run: null }
  const ended = (exit: Seen['exit']): Seen => ({ power: 'off', exit, run: 'r' })

  it('takes a clean power-off inside the guest as a wish, a crash as an error', () => {
    expect(plan(wanted, known, ended('clean'), around)).toEqual({ do: 'off-by-guest' })
    expect(plan(wanted, known, ended('crashed'), around)).toEqual({ do: 'fault', reason: 'crashed' })
  })

  it('starts again after a reboot of a throw-away root disk and after the host went down', () => {
    expect(plan(wanted, known, ended('reboot'), around)).toEqual({ do: 'again' })
    expect(plan(wanted, known, ended('host-restart'), around)).toEqual({ do: 'again' })
  })

  it('never ends a guest that was good once for being silent', () => {
    const silent: Seen = { power: 'booting', exit: null, run: 'r' }
    for (const deadline of ['passed', 'long-passed'] as const) {
      expect(plan(wanted, known, silent, { ...around, deadline })).toEqual({ do: 'silent' })
      const settled = { ...known, silent: true }
      expect(plan(wanted, settled, silent, { ...around, deadline })).toEqual({ do: 'rest' })
      expect(statusOf(wanted, settled, silent)).toBe('running')
      expect(plan(wanted, settled, { ...silent, power: 'ready' }, around)).toEqual({ do: 'up' })
      // One that never was up is given up.
      const fresh = { ...known, provisioned: false }
      expect(plan(wanted, fresh, silent, { ...around, deadline })).toEqual({
        do: 'fault',
        reason: 'guest-late',
      })
    }
  })

  it('does nothing to a VM that cannot be read, unless it is to be deleted', () => {
    for (const world of everyWorld()) {
      if (world.seen.power !== 'unreadable') continue
      const step = plan(world.wanted, world.known, world.seen, world.around).do
      if (step !== (isDoomed(world.wanted) ? 'delete' : 'rest')) expect.fail(JSON.stringify(world))
      expect(statusOf(world.wanted, world.known, world.seen)).toBe('error')
    }
  })

  it('leaves room to make a root disk larger only where there is one that nothing else is done with', () => {
    const growing = new Set<string>()
    for (const { wanted, known, seen, around } of everyWorld()) {
      if (plan(wanted, known, seen, around).do !== 'rest' || !canGrowRoot(wanted, known, seen)) continue
      growing.add(statusOf(wanted, known, seen))
      if (wanted.deleted || known.fault || !['off', 'booting', 'ready'].includes(seen.power))
        expect.fail(JSON.stringify({ wanted, known, seen }))
    }
    expect([...growing].sort()).toEqual(['running', 'stopped'])
  })

  it('has a root disk that can be made larger while it is off, boots or runs', () => {
    const growing = (wish: Partial<Wanted> = {}, fact: Partial<Known> = {}) =>
      seenPowers.filter((power) => canGrowRoot({ ...wanted, ...wish }, { ...known, ...fact }, { power }))
    expect(growing()).toEqual(['off', 'booting', 'ready'])
    for (const wish of [{ deleted: true }, { restore: true }]) expect(growing(wish)).toEqual([])
    for (const fact of [{ fault: 'lost' as const }, { provisioned: false }])
      expect(growing({}, fact)).toEqual([])
  })

  it('may be on its way for so many minutes, and for ever where it has arrived', () => {
    const minutes = Object.entries(deadlineMs).map(([status, ms]) => [status, ms && ms / 60_000])
    const onItsWay = {
      pending: 60,
      creating: 10,
      provisioning: 10,
      starting: 10,
      suspending: 15,
      stopping: 0.5,
    }
    const arrived = { running: null, suspended: null, stopped: null, failed: null, error: null }
    expect(Object.fromEntries(minutes)).toEqual({ ...onItsWay, ...arrived })
  })

  it('goes on with a VM whose root disk was lost and is there again, and with no other broken one', () => {
    expect(plan(wanted, { ...known, fault: 'lost' }, neverRan, around)).toEqual({ do: 'found' })
    expect(plan(wanted, { ...known, fault: 'lost' }, alive, around)).toEqual({ do: 'found' })
    for (const power of ['absent', 'broken'] as const) {
      const step = plan(wanted, { ...known, fault: 'lost', admitted: false }, { ...neverRan, power }, around)
      expect(step).toEqual({ do: 'rest' })
    }
    const crashed = { ...known, fault: 'error', admitted: false } as const
    expect(plan(wanted, crashed, neverRan, around)).toEqual({ do: 'rest' })
  })

  it('asks first, cuts off after the deadline, and gives up loudly after twice the time', () => {
    const at = (deadline: Surroundings['deadline']) => plan(off, known, alive, { ...around, deadline }).do
    expect([at('ahead'), at('passed'), at('long-passed')]).toEqual(['power-down', 'power-off', 'fault'])
    expect(plan({ ...off, force: true }, known, alive, around).do).toBe('power-off')
  })

  it('puts a VM back to a snapshot by copying first, then ending the guest, then changing its disks', () => {
    const restore: Wanted = { ...wanted, restore: true }
    const prepared: Known = { ...known, restorePrepared: true }
    expect(plan(restore, known, alive, around)).toEqual({ do: 'prepare-restore' })
    expect(plan(restore, prepared, alive, around)).toEqual({ do: 'power-off' })
    expect(plan(restore, prepared, ended('asked'), around)).toEqual({ do: 'switch-disks' })
    const broken: Seen = { power: 'broken', exit: null, run: null }
    expect(plan(restore, { ...prepared, fault: 'error' }, broken, around)).toEqual({ do: 'switch-disks' })
    expect(statusOf(restore, prepared, alive)).toBe('stopping')
    expect(statusOf(restore, prepared, { power: 'off' })).toBe('starting')
    expect(statusOf({ ...restore, power: 'off' }, { ...known, fault: 'error' }, { power: 'off' })).toBe(
      'pending',
    )
  })

  it('removes copies that a restore left once nothing else is to be done', () => {
    const left: Known = { ...known, restorePrepared: true }
    expect(plan({ ...off, force: true }, left, alive, around)).toEqual({ do: 'power-off' })
    expect(plan(wanted, left, alive, around)).toEqual({ do: 'clear-restore' })
    expect(plan(off, { ...left, admitted: false }, neverRan, around)).toEqual({ do: 'clear-restore' })
    expect(plan(wanted, left, { power: 'unreadable', exit: null, run: null }, around)).toEqual({ do: 'rest' })
  })

  it('waits for what keeps a launched guest from running, and gives up on it, whether it was good before or not', () => {
    for (const provisioned of bools) {
      const before = { ...known, provisioned }
      const held = (by: 'room' | 'parts'): Seen => ({ power: `held-by-${by}`, exit: null, run: 'r' })
      const late = { ...around, deadline: 'passed' } as const
      expect(statusOf(wanted, before, held('room'))).toBe('pending')
      expect(plan(wanted, before, held('room'), around)).toEqual({ do: 'wait', for: 'room' })
      expect(plan(wanted, before, held('room'), late)).toEqual({ do: 'fault', reason: 'room-late' })
      expect(statusOf(wanted, before, held('parts'))).toBe(provisioned ? 'starting' : 'provisioning')
      expect(plan(wanted, before, held('parts'), around)).toEqual({ do: 'wait', for: 'guest' })
      expect(plan(wanted, before, held('parts'), late)).toEqual({ do: 'fault', reason: 'launch-late' })
      expect(plan(off, before, held('room'), around)).toEqual({ do: 'power-down' })
      expect(plan({ ...wanted, deleted: true }, before, held('room'), around)).toEqual({ do: 'delete' })
    }
    const due: Wanted = { ...wanted, restarts: 1 }
    expect(plan(due, known, { power: 'held-by-room', exit: null, run: 'r' }, around).do).toBe('power-down')
  })

  it('suspends a guest, keeps it so without memory set aside, and starts it like every other', () => {
    const settled: Known = { ...known, admitted: false, judgedRun: 'r' }
    expect(plan(suspend, known, alive, around)).toEqual({ do: 'suspend' })
    expect(statusOf(suspend, known, alive)).toBe('suspending')
    expect(plan(suspend, known, kept, around)).toEqual({ do: 'down' })
    expect(plan(suspend, settled, kept, around)).toEqual({ do: 'rest' })
    expect(statusOf(suspend, settled, kept)).toBe('suspended')
    expect(plan(wanted, settled, kept, { ...around, room: false })).toEqual({ do: 'wait', for: 'room' })
    expect(plan(wanted, settled, kept, around)).toEqual({ do: 'admit' })
    expect(plan(wanted, known, kept, around)).toEqual({ do: 'start' })
    expect(statusOf(wanted, known, kept)).toBe('starting')
  })

  it('lets a guest run on that could not be suspended, and judges one that ended before', () => {
    expect(plan(suspend, known, alive, { ...around, deadline: 'passed' })).toEqual({ do: 'not-suspended' })
    for (const exit of ['clean', 'crashed', 'host-restart'] as const)
      expect(plan(suspend, known, ended(exit), around)).toEqual({ do: 'not-suspended' })
    expect(plan(suspend, { ...known, judgedRun: 'r' }, ended('asked'), around)).toEqual({ do: 'memory-lost' })
  })

  it('discards the memory of a suspended VM that is to be off', () => {
    expect(plan(off, known, kept, around)).toEqual({ do: 'discard-memory' })
    expect(statusOf(off, known, kept)).toBe('stopping')
    expect(plan({ ...wanted, deleted: true }, known, kept, around)).toEqual({ do: 'delete' })
  })

  it('shows the way up in the words of the specification', () => {
    const fresh: Known = { ...known, admitted: false, provisioned: false }
    expect(statusOf(wanted, fresh, { power: 'absent' })).toBe('pending')
    expect(statusOf(wanted, { ...fresh, admitted: true }, { power: 'absent' })).toBe('creating')
    expect(statusOf(wanted, { ...fresh, admitted: true }, { power: 'booting' })).toBe('provisioning')
    expect(statusOf(wanted, known, { power: 'ready' })).toBe('running')
    expect(statusOf({ ...wanted, restarts: 1 }, known, { power: 'ready' })).toBe('stopping')
    expect(statusOf({ ...wanted, restarts: 1 }, known, { power: 'off' })).toBe('starting')
    expect(statusOf({ ...wanted, power: 'off' }, known, { power: 'ready' })).toBe('stopping')
    expect(statusOf({ ...wanted, power: 'off' }, known, { power: 'off' })).toBe('stopped')
  })
})
