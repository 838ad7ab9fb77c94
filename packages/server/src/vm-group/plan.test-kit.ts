/** Groups and members for tests of the plan, and a world in which what it says is done. */
import { coming, type GroupFacts, type Member } from './vm-group.facts.ts'
import { type GroupStep, planGroup } from './vm-group.plan.ts'

export const now = 1_000_000_000

/** A group of two that keep their root disks. */
export const groupOf = (change: Partial<GroupFacts> = {}): GroupFacts => ({
  desired: 2,
  persistent: true,
  failures: 0,
  failedAt: null,
  failedWhy: null,
  revision: 1,
  rollOut: null,
  rollOutWhy: null,
  inPlace: false,
  ...change,
})

export const idOf = (number: number) => `id-${String(number).padStart(4, '0')}`

/** One that runs for a minute. */
export const memberOf = (number: number, change: Partial<Member> = {}): Member => ({
  id: idOf(number),
  name: `web-${number}`,
  number,
  status: 'running',
  statusSince: now - 60_000,
  statusMessage: null,
  retiring: false,
  heals: 0,
  upAt: now - 60_000,
  shortSince: null,
  busy: false,
  revision: 1,
  isProtected: false,
  ...change,
})

/** A group that goes on from any state; `fails` says of each new member whether it does. */
export function liveOn(facts: GroupFacts, members: Member[], atOnce: number, fails: () => boolean) {
  let made = members.length
  const world = {
    ...{ facts, members },
    clock: now,
    /** What is to be done a second later. */
    next(): GroupStep {
      world.clock += 1000
      return planGroup(world.facts, world.members, atOnce, world.clock)
    },
    change(id: string, set: Partial<Member>) {
      const after = { statusSince: world.clock, ...set }
      world.members = world.members.map((one) => (one.id === id ? { ...one, ...after } : one))
    },
    follow(step: GroupStep) {
      const { clock } = world
      if (step.do === 'add') {
        made += 1
        const status = fails() ? 'failed' : 'pending'
        const { revision } = world.facts
        const born = { id: idOf(made), status, revision, upAt: null, statusSince: clock } as const
        world.members = [...world.members, memberOf(step.number, born)]
      } else if (step.do === 'remove') {
        const failures = world.facts.failures + 1
        if (step.because === 'failed')
          world.facts = { ...world.facts, failures, failedAt: clock, failedWhy: 'x' }
        world.members = world.members.filter(({ id }) => id !== step.member.id)
      } else if (step.do === 'heal') world.change(step.member.id, { status: 'starting', heals: step.heals })
      else if (step.do === 'keep') world.change(step.member.id, { retiring: false, status: 'starting' })
      else if (step.do === 'retire') world.change(step.member.id, { retiring: true, status: 'stopping' })
      else if (step.do === 'pause') world.facts = { ...world.facts, rollOut: 'paused', rollOutWhy: step.why }
      else if (step.do === 'finish') world.facts = { ...world.facts, rollOut: null }
      else if (step.do === 'recover') world.facts = { ...world.facts, failures: 0, failedAt: null }
      else world.rest(step.until)
    },
    /** Guests come up and go down, snapshots end. */
    rest(until: number | null) {
      if (until !== null) world.clock = Math.max(world.clock, until)
      const { clock } = world
      world.members = world.members.map((one) => {
        if (one.busy) return { ...one, busy: false }
        if (one.status === 'stopping') return { ...one, status: 'stopped', statusSince: clock }
        if (one.status === 'suspending') return { ...one, status: 'suspended', statusSince: clock }
        if (coming.includes(one.status)) return { ...one, status: 'running', statusSince: clock, upAt: clock }
        return one
      })
    },
  }
  return world
}
