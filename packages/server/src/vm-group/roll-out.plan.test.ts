import type { VmStatus } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupOf, liveOn, memberOf, now } from './plan.test-kit.ts'
import { slowMs } from './roll-out.plan.ts'
import { coming, type GroupFacts, healsAtMost, type Member } from './vm-group.facts.ts'
import { planGroup, stateOf } from './vm-group.plan.ts'

const statuses: VmStatus[] = [
  ...coming,
  ...(['running', 'suspending', 'suspended', 'stopping', 'stopped', 'failed', 'error'] as const),
]

/** A pool of three whose second settings are rolled out. */
const pool = (change: Partial<GroupFacts> = {}) =>
  groupOf({ desired: 3, persistent: false, revision: 2, rollOut: 'running', ...change })
const set = (change: Partial<GroupFacts> = {}) => pool({ inPlace: true, ...change })
const member = (number: number, change: Partial<Member> = {}) =>
  memberOf(number, { statusSince: now - 600_000, upAt: now - 600_000, ...change })
const renewed = (number: number, change: Partial<Member> = {}) => member(number, { revision: 2, ...change })
const leaving = (number: number, change: Partial<Member> = {}) =>
  member(number, { retiring: true, status: 'stopping', ...change })
const plan = (facts: GroupFacts, members: Member[]) => planGroup(facts, members, 4, now)

describe('a pool whose settings are rolled out', () => {
  const old = [member(1), member(2), member(3)]

  it('first gets one more member, which has to run, and then loses an old one', () => {
    expect(plan(pool(), old)).toEqual({ do: 'add', number: 4 })
    for (const status of coming)
      expect(plan(pool(), [...old, renewed(4, { status, upAt: null })]).do).toBe('rest')
    expect(plan(pool(), [...old, renewed(4)])).toMatchObject({ do: 'retire', member: { number: 1 } })
    const shutting = [leaving(1), member(2), member(3), renewed(4)]
    expect(plan(pool(), shutting)).toEqual({ do: 'rest', until: null })
    const down = [leaving(1, { status: 'stopped' }), member(2), member(3), renewed(4)]
    expect(plan(pool(), down)).toMatchObject({ do: 'remove', because: 'retired' })
    expect(plan(pool(), [member(2), member(3), renewed(4)])).toEqual({ do: 'add', number: 1 })
  })

  it('replaces first what does not run anyway', () => {
    const members = [member(1), member(2), member(3, { status: 'stopped' }), renewed(4)]
    expect(plan(pool(), members)).toMatchObject({ do: 'retire', member: { number: 3 } })
  })

  it('ends when no member has older settings', () => {
    const members = [renewed(1), renewed(2), renewed(4)]
    expect(plan(pool(), members)).toEqual({ do: 'finish' })
    expect(plan(pool(), [...members, leaving(3)])).toEqual({ do: 'rest', until: null })
  })

  it('adds and removes meanwhile what another size wants', () => {
    expect(plan(pool({ desired: 5 }), old)).toEqual({ do: 'add', number: 4 })
    const grown = [...old, renewed(4, { status: 'starting', upAt: null })]
    expect(plan(pool({ desired: 5 }), grown).do).toBe('rest')
    expect(plan(pool({ desired: 1 }), [...old, renewed(4)])).toMatchObject({
      do: 'retire',
      member: { number: 1 },
    })
  })

  it('retires one again that somebody started', () => {
    const members = [leaving(1, { status: 'starting' }), member(2), renewed(3)]
    for (const facts of [pool(), set()])
      expect(plan(facts, members)).toMatchObject({ do: 'retire', member: { number: 1 } })
  })
})

describe('a set whose settings are rolled out', () => {
  const old = [member(1), member(2), member(3)]

  it('replaces its members in place: one goes, and the next one comes under its number', () => {
    expect(plan(set(), old)).toMatchObject({ do: 'retire', member: { number: 1 } })
    expect(plan(set(), [leaving(1), member(2), member(3)])).toEqual({ do: 'rest', until: null })
    expect(plan(set(), [member(2), member(3)])).toEqual({ do: 'add', number: 1 })
    const starting = [renewed(1, { status: 'starting', upAt: null }), member(2), member(3)]
    expect(plan(set(), starting).do).toBe('rest')
    expect(plan(set(), [renewed(1), member(2), member(3)])).toMatchObject({
      do: 'retire',
      member: { number: 2 },
    })
    expect(plan(set(), [renewed(1), renewed(2), renewed(3)])).toEqual({ do: 'finish' })
  })

  it('leaves one alone that a snapshot uses, takes another first, and looks again soon', () => {
    const members = [member(1, { busy: true }), member(2), member(3)]
    expect(plan(set(), members)).toMatchObject({ do: 'retire', member: { number: 2 } })
    const last = [member(1, { busy: true }), renewed(2), renewed(3)]
    expect(plan(set(), last)).toEqual({ do: 'rest', until: now + 5000 })
    expect(stateOf(set(), last, now).message).toContain('"web-1" is used by a snapshot or restore')
  })
})

describe('a roll-out pauses', () => {
  const old = [member(1), member(2), member(3)]
  const with4 = (change: Partial<Member>) => [...old, renewed(4, { upAt: null, ...change })]

  it.each([
    [with4({ status: 'failed', statusMessage: 'No space.' }), '"web-4" could not be created. No space.'],
    [with4({ status: 'error', statusMessage: 'It crashed.' }), '"web-4" failed. It crashed.'],
    [
      with4({ status: 'error', upAt: now - 900_000, heals: healsAtMost, statusMessage: 'It crashed.' }),
      '"web-4" failed. It crashed.',
    ],
    [
      with4({ status: 'pending', shortSince: now - 60_000, statusMessage: 'Needs 1 GB.' }),
      'Not enough memory for "web-4". Needs 1 GB.',
    ],
    [with4({ status: 'starting', statusSince: now - slowMs }), '"web-4" was not running within 30 minutes.'],
    [with4({ status: 'stopped' }), '"web-4" is stopped. Start it, or delete it to get a replacement.'],
    [with4({ status: 'suspended' }), '"web-4" is suspended. Start it, or delete it to get a replacement.'],
    [
      [member(1, { isProtected: true }), renewed(2), renewed(3)],
      '"web-1" is protected against deletion. Turn its protection off.',
    ],
  ])('of a member, and says why: %#', (members, why) => {
    const facts = pool({ persistent: members.some(({ heals }) => heals > 0) })
    expect(plan(facts, members)).toEqual({ do: 'pause', why })
    // What is paused or was stopped is not paused again.
    for (const rollOut of ['paused', null] as const)
      expect(plan({ ...facts, rollOut }, members).do).not.toBe('pause')
  })

  it('when a VM could not even be stored', () => {
    const facts = pool({ failures: 1, failedAt: now, failedWhy: 'No room.' })
    expect(plan(facts, old)).toEqual({ do: 'pause', why: 'A VM could not be created. No room.' })
  })

  it('only once protected members are all that is left', () => {
    const members = [member(1, { isProtected: true }), member(2), renewed(3)]
    expect(plan(set(), members)).toMatchObject({ do: 'retire', member: { number: 2 } })
  })

  it('for nothing that a snapshot uses', () => {
    expect(plan(pool(), with4({ status: 'stopped', busy: true })).do).not.toBe('pause')
  })

  it('looks again when a new member has taken too long', () => {
    expect(plan(pool(), with4({ status: 'starting', statusSince: now - 1000 }))).toEqual({
      do: 'rest',
      until: now - 1000 + slowMs,
    })
  })

  it('and then creates nothing, keeps the old members, and says what to do', () => {
    const paused = pool({ rollOut: 'paused', rollOutWhy: 'No space.' })
    expect(plan(paused, old)).toEqual({ do: 'rest', until: null })
    expect(plan(paused, [member(1), member(2)])).toEqual({ do: 'rest', until: null })
    expect(plan(paused, with4({ status: 'failed' }))).toMatchObject({ do: 'remove', because: 'failed' })
    expect(plan(paused, with4({ status: 'stopped' }))).toMatchObject({ do: 'retire', member: { number: 4 } })
    const back = [leaving(1), member(2), member(3)]
    expect(plan({ ...paused, inPlace: true }, back)).toMatchObject({ do: 'keep', member: { number: 1 } })
    expect(stateOf(paused, old, now)).toEqual({
      status: 'error',
      message: 'The roll-out is paused, and no VM is created. No space. Continue or stop the roll-out.',
    })
  })
})

describe('what a group says of its roll-out', () => {
  it('counts the members with the new settings, and names what comes and goes', () => {
    expect(stateOf(set(), [renewed(1), member(2), member(3)], now)).toEqual({
      status: 'coming',
      message: 'Rolling out: 1 of 3 VMs run with the new settings.',
    })
    expect(stateOf(set(), [leaving(1), member(2), member(3)], now).message).toBe(
      'Rolling out: 0 of 3 VMs run with the new settings. "web-1" is shutting down and will be deleted.',
    )
    const starting = [renewed(1, { status: 'pending', statusMessage: 'Waiting.' }), member(2), member(3)]
    expect(stateOf(set(), starting, now).message).toBe(
      'Rolling out: 0 of 3 VMs run with the new settings. web-1: Waiting.',
    )
  })

  it('is as ever once it was stopped, though members have older settings', () => {
    const members = [renewed(1), member(2), member(3)]
    const stopped = pool({ rollOut: null })
    expect(plan(stopped, members)).toEqual({ do: 'rest', until: null })
    expect(stateOf(stopped, members, now)).toEqual({ status: 'active', message: null })
  })
})

const anyWorld = fc.record({
  desired: fc.integer({ min: 1, max: 5 }),
  persistent: fc.boolean(),
  inPlace: fc.boolean(),
  atOnce: fc.integer({ min: 1, max: 4 }),
  members: fc.array(
    fc.record({
      status: fc.constantFrom(...statuses),
      retiring: fc.boolean(),
      busy: fc.boolean(),
      isProtected: fc.boolean(),
      revision: fc.constantFrom(1, 2),
    }),
    { maxLength: 8 },
  ),
  /** Which of the new members fail, by their order. */
  luckless: fc.array(fc.boolean(), { maxLength: 6 }),
})

describe('from any world', () => {
  it('a roll-out ends, or pauses and says why, in a bounded number of steps', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const luckless = [...world.luckless]
        const members = world.members.map((one, i) => member(i + 1, one))
        const life = liveOn(pool({ ...world }), members, world.atOnce, () => luckless.shift() ?? false)
        const staying = () => life.members.filter(({ retiring }) => !retiring)
        for (let look = 0; look < 600 && life.facts.rollOut !== null; look++) {
          const step = life.next()
          const { facts } = life
          const running = staying().filter(({ status }) => status === 'running')
          if (step.do === 'add') {
            expect(facts.rollOut).toBe('running')
            expect(life.members.some(({ number }) => number === step.number)).toBe(false)
            expect(staying().length).toBeLessThan(facts.desired + (world.inPlace ? 0 : 1))
          } else if (step.do === 'retire') {
            const isPool = !world.inPlace && !step.member.retiring && facts.rollOut === 'running'
            const isLeft = ({ id }: Member) => id !== step.member.id
            // What runs is not fewer than wanted, unless some did not run before.
            if (isPool) expect(staying().filter(isLeft).length).toBeGreaterThanOrEqual(facts.desired)
            if (isPool && running.length > facts.desired)
              expect(running.filter(isLeft).length).toBeGreaterThanOrEqual(facts.desired)
          } else if (step.do === 'pause') expect(step.why).not.toBe('')
          if (step.do !== 'rest' || facts.rollOut !== 'paused') life.follow(step)
          else {
            // Somebody does what the sentence says, and continues.
            for (const { id, revision, status } of life.members) {
              life.change(id, { isProtected: false, busy: false })
              if (revision === 2 && ['stopped', 'suspended', 'error'].includes(status))
                life.change(id, { status: 'running', upAt: life.clock })
            }
            life.facts = { ...facts, rollOut: 'running', rollOutWhy: null, failures: 0, failedAt: null }
          }
        }
        expect(life.facts.rollOut).toBe(null)
        expect(life.members.every(({ revision }) => revision === 2)).toBe(true)
        expect(staying()).toHaveLength(life.facts.desired)
      }),
      { numRuns: 500 },
    )
  })
})
