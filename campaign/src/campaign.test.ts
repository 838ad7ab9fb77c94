import { endpoints } from '@slipway/contract'
import { makeRandom } from '@slipway/e2e/random'
import { describe, expect, it } from 'vitest'
import { checkShares, compare } from './compare.ts'
import type { AnyHost } from './faults.ts'
import type { Seen } from './look.ts'
import { operations } from './operations.ts'
import { planSteps } from './planner.ts'
import type { Step } from './script.ts'
import { shrink } from './shrink.ts'
import { followRevisions } from './stream-blocks.ts'
import { type Known, makeWorld } from './world.ts'

const disk = (over: Partial<Known> = {}): Known => ({
  handle: 's1',
  kind: 'disk',
  user: 0,
  project: 's0',
  name: 's1',
  id: 'd1',
  fate: 'there',
  facts: { source: 'EMPTY' },
  power: null,
  faulty: false,
  excused: false,
  ...over,
})
const shown = (over: Partial<Seen['object']> = {}): Seen => ({
  kind: 'disk',
  user: 0,
  object: { id: 'd1', name: 's1', project_id: 'p', status: 'available', source: 'EMPTY', ...over },
})

function rulesBroken(known: Known, seen: Seen[], settled = true): string[] {
  const world = makeWorld()
  world.objects.set(known.handle, known)
  return compare(world, seen, { settled, unlucky: false }).map(({ rule }) => rule)
}

describe('comparing what was acknowledged with what is shown', () => {
  it('finds nothing when both are the same', () => {
    expect(rulesBroken(disk(), [shown()])).toEqual([])
  })

  it('finds what was lost, but not what was deleted', () => {
    expect(rulesBroken(disk(), [])).toEqual(['lost'])
    expect(rulesBroken(disk({ fate: 'leaving' }), [])).toEqual([])
  })

  it('finds what nobody asked for, and two of the same name', () => {
    expect(rulesBroken(disk(), [shown(), shown({ id: 'd2' })])).toEqual(['doubled', 'doubled'])
  })

  it('allows both ways for what was never answered', () => {
    const unanswered = () => disk({ id: null, fate: 'perhaps', facts: {} })
    expect(rulesBroken(unanswered(), [])).toEqual([])
    expect(rulesBroken(unanswered(), [shown()])).toEqual([])
  })

  it('finds a deleted object that stays, once everything is at rest', () => {
    expect(rulesBroken(disk({ fate: 'leaving' }), [shown()], false)).toEqual([])
    expect(rulesBroken(disk({ fate: 'leaving' }), [shown()])).toEqual(['kept'])
  })

  it('finds what changed unasked, and failures without a fault or without a reason', () => {
    expect(rulesBroken(disk(), [shown({ source: 'HTTP' })])).toEqual(['changed'])
    expect(rulesBroken(disk(), [shown({ status: 'failed', status_message: 'Full' })])).toEqual(['broken'])
    expect(rulesBroken(disk({ excused: true }), [shown({ status: 'failed' })])).toEqual(['silent'])
  })

  it('finds a VM that is not what its user wants', () => {
    const vm = disk({ kind: 'vm', power: 'on', facts: {} })
    expect(rulesBroken(vm, [{ ...shown({ status: 'stopped' }), kind: 'vm' }])).toEqual(['untrue'])
    expect(rulesBroken(vm, [{ ...shown({ status: 'running' }), kind: 'vm' }])).toEqual([])
  })
})

describe('a shared port', () => {
  it('may not be there without its VM', () => {
    const vm: Seen = { ...shown({ id: 'v1' }), kind: 'vm' }
    const share: Seen = { ...shown({ id: 'h1', name: 'port 80 of s1', vm_id: 'v1' }), kind: 'share' }
    expect(checkShares([vm, share])).toEqual([])
    expect(checkShares([shown({ id: 'v1' }), share]).map(({ rule }) => rule)).toEqual(['kept'])
  })
})

describe('the planner', () => {
  it('often follows a change of a VM or disk with another one of the same', () => {
    const world = makeWorld()
    const objects = ['s1', 's2', 's3', 's4'].flatMap((handle) => [
      disk({ handle, name: handle }),
      disk({ handle: `${handle}v`, name: `${handle}v`, kind: 'vm' }),
    ])
    for (const one of [disk({ handle: 's0', kind: 'project', project: null }), ...objects])
      world.objects.set(one.handle, one)
    // All that the planner asks of a host.
    const host = { kind: 'one', engine: 'simulated', disk: null, dataDir: '' } as unknown as AnyHost
    const plan = planSteps({ seed: 3, kills: null, only: [], every: 1e9, log: () => {} })(host, 10)
    let pairs = 0
    let before: unknown
    for (let n = 0; n < 1_000; n++) {
      const step = plan({ world, idle: [0], fault: false })
      if (step?.do !== 'operation') continue
      const on = step.args.vm ?? step.args.on
      if (on !== undefined && Object.values(step.args).includes(String(before))) pairs++
      before = on
    }
    expect(pairs).toBeGreaterThan(200)
  })
})

describe('making a script short', () => {
  const steps: Step[] = Array.from({ length: 40 }, (_, n) => ({ n, wait: 0, do: 'settle' }))

  it('leaves only the steps that the failure needs', async () => {
    const needed = [3, 17, 31]
    const fails = async (some: readonly Step[]) => needed.every((n) => some.some((step) => step.n === n))
    const left = await shrink(steps, fails, () => true)
    expect(left.map(({ n }) => n)).toEqual(needed)
  })

  it('stops when its time is up', async () => {
    let tries = 5
    const left = await shrink(
      steps,
      async () => true,
      () => tries-- > 0,
    )
    expect(left.length).toBeGreaterThan(1)
  })
})

describe('random choices', () => {
  it('are the same for the same seed', () => {
    const some = () => {
      const random = makeRandom(7)
      return Array.from({ length: 20 }, () => random.below(1_000))
    }
    expect(some()).toEqual(some())
    expect(new Set(some()).size).toBeGreaterThan(10)
  })
})

/**
 * Other ways to sign in, and out for good: they need an authenticator, a provider or a mailbox that no user here has. What
 * reads of them is called like everything else.
 */
const signsIn =
  /^oidc\.(begin|link|signOut)$|^totp\.(?!get)|^passkey\.(begin|create|rename)$|^proof\.(give|begin)|^accountDeletion\.(?!get)|^account\.(signInWith|begin)|^sshKey\.prove$/

describe('what users do', () => {
  it('is everything that the API has', () => {
    const called = new Set<string>(Object.values(operations).map(({ endpoint }) => endpoint?.id ?? ''))
    expect(endpoints.map(({ id }) => id).filter((id) => !called.has(id) && !signsIn.test(id))).toEqual([])
  })
})

describe('an event stream', () => {
  it('may not repeat a change, go back, or go on after the server was another one', () => {
    const revisions = followRevisions()
    revisions.restart('a-3')
    expect(revisions.hear('a-4', 'vm')).toBeNull()
    expect(revisions.hear('a-4', 'beat')).toBeNull()
    expect(revisions.hear('a-4', 'vm')).toBe('sent a-4 after a-4')
    expect(revisions.hear('a-2', 'vm')).toBe('sent a-2 after a-4')
    expect(revisions.hear('b-9', 'vm')).toBe('went on with b-9 after a-2 without a hello')
  })
})
