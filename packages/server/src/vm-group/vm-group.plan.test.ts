import type { VmStatus } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupOf as group, liveOn, memberOf as member, now } from './plan.test-kit.ts'
import { coming, type GroupFacts, healsAtMost, type Member } from './vm-group.facts.ts'
import { failuresToError, isRepeated, pauseMs, planGroup, smallestFree, stateOf } from './vm-group.plan.ts'

const statuses: VmStatus[] = [...coming, 'running', 'stopping', 'stopped', 'failed', 'error']
const plan = (facts: GroupFacts, members: Member[], atOnce = 2) => planGroup(facts, members, atOnce, now)

describe('a group and its members', () => {
  it('rests when it has what it wants', () => {
    expect(plan(group(), [member(1), member(2)])).toEqual({ do: 'rest', until: null })
    expect(stateOf(group(), [member(1), member(2)], now)).toEqual({ status: 'active', message: null })
  })

  it('counts a member that its user stopped', () => {
    const members = [member(1), member(2, { status: 'stopped' })]
    expect(plan(group(), members).do).toBe('rest')
    expect(stateOf(group(), members, now).status).toBe('active')
  })

  it('adds members under the smallest free number, no more at once than may come up', () => {
    expect(plan(group(), [])).toEqual({ do: 'add', number: 1 })
    expect(plan(group({ desired: 4 }), [member(1), member(3), member(4)])).toEqual({ do: 'add', number: 2 })
    const coming = [member(1, { status: 'pending' }), member(2, { status: 'starting' })]
    expect(plan(group({ desired: 4 }), coming)).toEqual({ do: 'rest', until: null })
    expect(plan(group({ desired: 4 }), coming, 3).do).toBe('add')
  })

  it('lets none go that is protected against deletion, and says so once only those are too many', () => {
    const kept = member(3, { id: 'id-0009', isProtected: true })
    const members = [member(1), member(2), kept]
    expect(plan(group(), members)).toMatchObject({ do: 'retire', member: members[1] })
    const all = members.map((one) => ({ ...one, isProtected: true }))
    expect(plan(group(), all)).toEqual({ do: 'rest', until: null })
    expect(stateOf(group(), all, now)).toEqual({
      status: 'error',
      message: '"web-1" is protected against deletion. Turn its protection off. Or choose a size of 3.',
    })
    expect(stateOf(group({ desired: 3 }), all, now).status).toBe('active')
    const busy = [{ ...member(1), busy: true }, ...all.slice(1)]
    expect(plan(group(), busy)).toEqual({ do: 'rest', until: now + 5000 })
    expect(stateOf(group(), busy, now).status).toBe('coming')
  })

  it('keeps one that was protected after it was chosen to go', () => {
    const spared = member(2, { retiring: true, isProtected: true, status: 'stopping' })
    for (const status of ['stopping', 'stopped', 'error', 'running'] as const)
      expect(plan(group({ desired: 1 }), [member(1), { ...spared, status }])).toMatchObject({
        do: 'keep',
        member: { number: 2 },
      })
    expect(plan(group({ desired: 1 }), [member(1), { ...spared, retiring: false }])).toMatchObject({
      do: 'retire',
      member: { number: 1 },
    })
  })

  it('starts a protected one again that broke, whatever its root disk, and leaves it in the end', () => {
    const broken = member(2, { status: 'error', statusSince: now - 100, isProtected: true })
    const facts = group({ persistent: false })
    expect(plan(facts, [member(1), broken])).toMatchObject({ do: 'heal', heals: 1 })
    const often = { ...broken, heals: healsAtMost }
    expect(plan(facts, [member(1), often]).do).toBe('rest')
    expect(stateOf(facts, [member(1), often], now).message).toContain('"web-2" failed 3 times in a row')
    // It never came up, so it holds nothing.
    expect(plan(facts, [member(1), { ...broken, status: 'failed' }])).toMatchObject({ do: 'remove' })
  })

  it('lets the failed one go first, then the newest, whatever its number', () => {
    const newest = member(2, { id: 'id-0009' })
    const members = [member(1), newest, member(3)]
    expect(plan(group(), members)).toMatchObject({ do: 'retire', member: newest })
    const failed = member(1, { status: 'failed' })
    expect(plan(group({ desired: 1 }), [failed, member(2)])).toMatchObject({ do: 'remove', member: failed })
  })

  it('lets a retiring member shut down before it goes, and takes it back when the wish grows again', () => {
    const leaving = member(2, { retiring: true, status: 'stopping' })
    expect(plan(group({ desired: 1 }), [member(1), leaving]).do).toBe('rest')
    const down = { ...leaving, status: 'stopped' as const }
    expect(plan(group({ desired: 1 }), [member(1), down])).toMatchObject({ do: 'remove', because: 'retired' })
    expect(plan(group(), [member(1), leaving])).toMatchObject({ do: 'keep', member: leaving })
  })

  it('replaces a broken member without a root disk of its own, and starts one with it again', () => {
    const broken = member(2, { status: 'error', statusSince: now - 100 })
    expect(plan(group({ persistent: false }), [member(1), broken])).toMatchObject({
      do: 'remove',
      because: 'broke',
    })
    expect(plan(group(), [member(1), broken])).toMatchObject({ do: 'heal', heals: 1 })
  })

  it('neither replaces nor starts a member that cannot be read', () => {
    const hidden = member(2, { status: 'error', busy: true })
    for (const persistent of [true, false])
      expect(plan(group({ persistent }), [member(1), hidden]).do).toBe('rest')
  })

  it('leaves a persistent member alone that broke too often in a row, and says so', () => {
    const broken = member(2, { status: 'error', heals: healsAtMost, statusMessage: 'The guest ended.' })
    expect(plan(group(), [member(1), broken]).do).toBe('rest')
    const state = stateOf(group(), [member(1), broken], now)
    expect(state.status).toBe('error')
    expect(state.message).toContain('"web-2" failed 3 times in a row')
    expect(state.message).toContain('The guest ended. Start it, or delete it')
  })

  it('forgets old breaks of a member that then worked for long', () => {
    const broken = member(2, { status: 'error', heals: healsAtMost, upAt: now - 3_600_000, statusSince: now })
    expect(plan(group(), [member(1), broken])).toMatchObject({ do: 'heal', heals: 1 })
  })

  it('goes on one by one after a failure, and with pauses after three in a row', () => {
    const failing = group({ failures: 1, failedAt: now - 100 })
    expect(plan(failing, [member(1, { status: 'pending', upAt: null })]).do).toBe('rest')
    for (const failures of [failuresToError, failuresToError + 2, failuresToError + 50]) {
      const pause = pauseMs(failures)
      const stuck = group({ failures, failedAt: now - 100, failedWhy: 'No space.' })
      expect(plan(stuck, [])).toEqual({ do: 'rest', until: now - 100 + pause })
      expect(plan({ ...stuck, failedAt: now - pause }, [])).toEqual({ do: 'add', number: 1 })
      const inMinutes = pause === 60_000 ? 'in a minute' : `in ${pause / 60_000} minutes`
      expect(stateOf(stuck, [], now)).toEqual({
        status: 'error',
        message: `${failures} VMs in a row could not be created. The last error: No space. Slipway tries again ${inMinutes}.`,
      })
    }
    // Somebody changed the group.
    expect(plan(group({ failures: 0, failedAt: now - 100 }), [])).toEqual({ do: 'add', number: 1 })
  })

  it('does not wait for a time that a clock that was set back has to reach again', () => {
    const failing = group({ failures: 3, failedAt: now + 3 * 3_600_000, failedWhy: 'No space.' })
    expect(plan(failing, [])).toEqual({ do: 'add', number: 1 })
    for (const statusSince of [now - 60_000, now + 3 * 3_600_000]) {
      expect(plan(failing, [member(1, { statusSince })])).toEqual({ do: 'recover' })
    }
  })

  it('pauses for a minute at first, then longer and longer, never for more than five', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => pauseMs(failures) / 60_000)).toEqual([
      ...[0, 0, 0],
      ...[1, 2, 4, 5, 5, 5],
    ])
  })

  it('has a failure again when the reason is the one before, with no success or change between', () => {
    const facts = { failures: 1, failedWhy: 'No space.' }
    expect(isRepeated(facts, 'No space.')).toBe(true)
    expect(isRepeated(facts, 'No memory.')).toBe(false)
    expect(isRepeated({ ...facts, failures: 0 }, 'No space.')).toBe(false)
  })

  it('forgets failures when a member came up after them and stayed up for a minute', () => {
    const facts = group({ desired: 1, failures: 3, failedAt: now - 70_000 })
    const upSince = (statusSince: number) => plan(facts, [member(1, { statusSince })])
    expect(upSince(now - 80_000)).toEqual({ do: 'rest', until: null })
    expect(upSince(now - 60_000)).toEqual({ do: 'recover' })
    expect(upSince(now - 59_999)).toEqual({ do: 'rest', until: now + 1 })
  })

  it('slows down also when its members come up and break again and again', () => {
    let facts = group({ desired: 1, persistent: false })
    const made: number[] = []
    let members: Member[] = []
    let clock = now
    for (let steps = 0; made.length < 8; steps++) {
      expect(steps).toBeLessThan(200)
      const step = planGroup(facts, members, 2, clock)
      if (step.do === 'add') {
        made.push(clock)
        members = [member(1, { statusSince: clock + 5_000, upAt: clock + 5_000 })]
        clock += 5_000
      } else if (step.do === 'remove') {
        facts = { ...facts, failures: facts.failures + 1, failedAt: clock }
        members = []
      } else if (step.do === 'rest') {
        if (members.length > 0) clock += 30_000
        else if (step.until !== null) clock = step.until
        members = members.map((one) => ({ ...one, status: 'error', statusSince: clock }))
      } else throw new Error(`${step.do} was not expected`)
    }
    const pauses = made.slice(1).map((at, index) => (at - (made[index] ?? 0) - 35_000) / 60_000)
    expect(pauses).toEqual([0, 0, 1, 2, 4, 5, 5])
  })

  it('is an error while the host has no room for a minute, and says what is missing', () => {
    const waiting = member(2, {
      status: 'pending',
      upAt: null,
      shortSince: now - 1000,
      statusMessage: 'Needs 512 MB of memory.',
    })
    expect(plan(group(), [member(1), waiting])).toEqual({ do: 'rest', until: now + 59_000 })
    expect(stateOf(group(), [member(1), waiting], now)).toEqual({
      status: 'coming',
      message: '1 of 2 VMs created. web-2: Needs 512 MB of memory.',
    })
    const long = { ...waiting, shortSince: now - 60_000 }
    expect(stateOf(group(), [member(1), long], now)).toEqual({
      status: 'error',
      message: 'Not enough memory for "web-2". Needs 512 MB of memory.',
    })
  })

  it('removes a retiring member that failed or broke, as one that was to go', () => {
    for (const status of ['failed', 'error'] as const) {
      const leaving = member(2, { retiring: true, status })
      expect(plan(group({ desired: 1 }), [member(1), leaving])).toEqual({
        do: 'remove',
        member: leaving,
        because: 'retired',
      })
    }
  })

  it('stops a retiring member again that somebody started, unless it is wanted back', () => {
    const started = member(2, { retiring: true, status: 'running' })
    expect(plan(group({ desired: 1 }), [member(1), started])).toEqual({ do: 'retire', member: started })
    expect(plan(group(), [member(1), started])).toEqual({ do: 'keep', member: started })
  })

  it('takes the oldest back of those that were to go', () => {
    const oldest = member(3, { id: 'id-0000', retiring: true, status: 'stopping' })
    const members = [member(1), member(2, { retiring: true, status: 'stopping' }), oldest]
    expect(plan(group(), members)).toEqual({ do: 'keep', member: oldest })
  })

  it('lets a broken member go first when there are too many, however old', () => {
    const broken = member(1, { status: 'error', heals: healsAtMost })
    expect(plan(group({ desired: 1 }), [broken, member(2)])).toEqual({ do: 'retire', member: broken })
  })

  it('does not wait for what uses a member that is protected anyway', () => {
    const members = [member(1, { isProtected: true }), member(2, { isProtected: true, busy: true })]
    expect(plan(group({ desired: 1 }), members)).toEqual({ do: 'rest', until: null })
  })

  it('looks again soon while something uses a member that has to go, and only then', () => {
    const until = (...members: Member[]) => plan(group({ desired: members.length }), members)
    const soon = { do: 'rest', until: now + 5000 }
    expect(until(member(1), member(2, { busy: true, status: 'failed' }))).toEqual(soon)
    expect(until(member(1), member(2, { busy: true, status: 'error' }))).toEqual(soon)
    expect(until(member(1), member(2, { busy: true }))).toEqual({ do: 'rest', until: null })
    const leaving = member(2, { busy: true, retiring: true, status: 'stopping' })
    expect(plan(group({ desired: 1 }), [member(1), leaving])).toEqual(soon)
  })

  it('looks again when the first of its members has waited too long for memory, and not after the last', () => {
    const short = (number: number, shortSince: number) =>
      member(number, { status: 'pending', upAt: null, shortSince })
    expect(plan(group(), [short(1, now - 1000), short(2, now - 2000)])).toEqual({
      do: 'rest',
      until: now + 58_000,
    })
    expect(plan(group(), [short(1, now - 60_000), short(2, now - 70_000)])).toEqual({
      do: 'rest',
      until: null,
    })
  })

  it('forgets failures by the first member that runs since then, and by no other', () => {
    const failedAt = now - 70_000
    const facts = group({ failures: 3, failedAt })
    const since = (statusSince: number, status: VmStatus = 'running') => member(1, { statusSince, status })
    expect(plan(facts, [since(failedAt), member(2, { statusSince: failedAt })]).do).toBe('rest')
    expect(plan(facts, [since(now - 65_000, 'stopped'), since(now - 65_000, 'stopped')]).do).toBe('rest')
    const first = [since(now - 20_000), member(2, { statusSince: now - 40_000 })]
    expect(plan(facts, first)).toEqual({ do: 'rest', until: now + 20_000 })
    // Earlier than the next try.
    const later = { ...facts, failures: 5, failedAt: now - 1000 }
    expect(plan(later, [since(now - 500)])).toEqual({ do: 'rest', until: now + 59_500 })
  })

  it('touches no member that a snapshot or restore uses, and looks again soon', () => {
    const busy = { busy: true, status: 'error' } as const
    expect(plan(group({ persistent: false }), [member(1), member(2, busy)])).toEqual({
      do: 'rest',
      until: now + 5000,
    })
    expect(plan(group({ desired: 1 }), [member(1), member(2, { busy: true })])).toMatchObject({
      do: 'retire',
      member: { number: 1 },
    })
    expect(plan(group({ desired: 1 }), [member(1, busy), member(2, busy)])).toEqual({
      do: 'rest',
      until: now + 5000,
    })
  })
})

describe('what a group says of itself', () => {
  const says = (facts: GroupFacts, ...members: Member[]) => stateOf(facts, members, now)
  const coming = (message: string) => ({ status: 'coming', message })

  it('counts what is there, whatever its user made of it', () => {
    expect(says(group({ desired: 1 }))).toEqual(coming('0 of 1 VM created.'))
    const settled = [member(1, { status: 'suspended' }), member(2, { status: 'stopped' })]
    expect(says(group({ desired: 3 }), ...settled)).toEqual(coming('2 of 3 VMs created.'))
    expect(says(group(), ...settled)).toEqual({ status: 'active', message: null })
  })

  it.each<VmStatus>(['pending', 'starting', 'stopping', 'suspending', 'failed', 'error'])(
    'is not active with a member that is %s',
    (status) => {
      expect(says(group(), member(1), member(2, { status }))).toEqual(coming('1 of 2 VMs created.'))
    },
  )

  it('names the member that is to go, also one that broke for good', () => {
    const leaving = member(2, { retiring: true, status: 'error', heals: healsAtMost })
    expect(says(group({ desired: 1 }), member(1), leaving)).toEqual(
      coming('"web-2" is shutting down and will be deleted.'),
    )
  })

  it('is no error by protected members as long as they are not too many', () => {
    const kept = [member(1, { isProtected: true }), member(2, { isProtected: true, status: 'pending' })]
    expect(says(group(), ...kept)).toEqual(coming('1 of 2 VMs created.'))
  })

  it('is whole sentences where no reason is known', () => {
    const broken = member(2, { status: 'error', heals: healsAtMost, statusMessage: null })
    expect(says(group(), member(1), broken)).toEqual({
      status: 'error',
      message:
        '"web-2" failed 3 times in a row and was left unchanged, with its disks. Start it, or delete it to get a replacement.',
    })
    const short = member(2, { status: 'pending', shortSince: now - 60_000, statusMessage: null })
    expect(says(group(), member(1), short)).toEqual({
      status: 'error',
      message: 'Not enough memory for "web-2".',
    })
    const failing = group({ failures: 3, failedAt: now, failedWhy: null })
    expect(says(failing).message).toContain(
      'The last error: no reason was given. Slipway tries again in a minute.',
    )
  })
})

describe('the next number', () => {
  it('is the smallest that no member has', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 30 })), (numbers) => {
        const free = smallestFree(numbers.map((number) => ({ number })))
        expect(numbers).not.toContain(free)
        for (let n = 1; n < free; n++) expect(numbers).toContain(n)
      }),
    )
  })
})

/** Any group with any members. */
const anyMember = fc.record({
  status: fc.constantFrom(...statuses),
  retiring: fc.boolean(),
  heals: fc.integer({ min: 0, max: 4 }),
  busy: fc.boolean(),
  isProtected: fc.boolean(),
  up: fc.boolean(),
})
const anyWorld = fc.record({
  desired: fc.integer({ min: 1, max: 6 }),
  persistent: fc.boolean(),
  failures: fc.integer({ min: 0, max: 5 }),
  atOnce: fc.integer({ min: 1, max: 4 }),
  members: fc.array(anyMember, { maxLength: 9 }),
  /** How many of the next new members fail before the host is well again. */
  luckless: fc.integer({ min: 0, max: 5 }),
})

describe('from any world', () => {
  it('a group comes to the number it wants in a bounded number of steps, and then rests', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const known = { failedAt: world.failures > 0 ? now : null, failedWhy: 'x' }
        const members = world.members.map(({ up, ...rest }, i) =>
          member(i + 1, { ...rest, upAt: up ? now : null }),
        )
        let luckless = world.luckless
        const life = liveOn(group({ ...world, ...known }), members, world.atOnce, () => luckless-- > 0)
        for (let look = 0; look < 400; look++) {
          const step = life.next()
          if (step.do === 'add') expect(life.members.some(({ number }) => number === step.number)).toBe(false)
          else if (step.do === 'remove') {
            expect(step.member.busy).toBe(false)
            if (step.member.status !== 'failed') expect(step.member.isProtected).toBe(false)
          } else if (step.do === 'retire') expect(step.member.isProtected).toBe(false)
          else if (step.do === 'pause' || step.do === 'finish') throw new Error(`${step.do} was not expected`)
          life.follow(step)
        }
        const { facts, clock } = life
        const kept = life.members.filter(({ status }) => status === 'error')
        const held = life.members.filter(({ isProtected }) => isProtected).length
        expect(life.members.length).toBe(Math.max(facts.desired, held))
        expect(life.members.every(({ retiring }) => !retiring)).toBe(true)
        // What is left broken is only what would cost its user data.
        expect(
          kept.every(({ heals, isProtected }) => (facts.persistent || isProtected) && heals >= healsAtMost),
        ).toBe(true)
        expect(planGroup(facts, life.members, world.atOnce, clock)).toEqual({ do: 'rest', until: null })
        const isFine = kept.length === 0 && life.members.length === facts.desired
        expect(stateOf(facts, life.members, clock).status).toBe(isFine ? 'active' : 'error')
      }),
      { numRuns: 500 },
    )
  })
})
