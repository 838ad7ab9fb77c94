import { expect, test } from 'vitest'
import { planSnapshot, type SnapshotFacts } from './snapshot.plan.ts'

const statuses = ['pending', 'creating', 'ready', 'deleting', 'failed', 'error'] as const
const copies = ['absent', 'whole', 'broken'] as const
const bools = [false, true] as const

function* every(): Generator<[SnapshotFacts, (typeof copies)[number]]> {
  for (const status of statuses)
    for (const expired of bools)
      for (const inUse of bools) for (const copy of copies) yield [{ status, expired, inUse }, copy]
}

/** What comes of a step when the engine has luck or none; null when the snapshot is gone. */
function act(
  facts: SnapshotFacts,
  copy: (typeof copies)[number],
  lucky: boolean,
): [SnapshotFacts, (typeof copies)[number]] | null {
  switch (planSnapshot(facts, copy)) {
    case 'make':
      return lucky ? [{ ...facts, status: 'ready' }, 'whole'] : [{ ...facts, status: 'failed' }, 'absent']
    case 'take-up':
      return [{ ...facts, status: copy === 'whole' ? 'ready' : 'failed' }, copy]
    case 'delete':
      return null
    case 'lose':
      return [{ ...facts, status: 'error' }, copy]
    case 'expire':
      return [{ ...facts, status: 'deleting' }, copy]
    case 'rest':
      return [facts, copy]
  }
}

test('a snapshot converges from everything there can be, and then rests or is gone', () => {
  for (const [facts, copy] of every()) {
    for (const lucky of bools) {
      let world: ReturnType<typeof act> = [facts, copy]
      let steps = 0
      while (world && planSnapshot(...world) !== 'rest') {
        world = act(...world, lucky)
        if (++steps > 5) expect.fail(`no rest from ${JSON.stringify(facts)}`)
      }
      if (!world) {
        expect(facts.status === 'deleting' || (facts.expired && !facts.inUse)).toBe(true)
        continue
      }
      expect(['ready', 'failed', 'error']).toContain(world[0].status)
      if (world[0].status === 'ready') expect(world[1]).toBe('whole')
    }
  }
})

test('what is being read does not expire', () => {
  for (const [facts, copy] of every())
    if (facts.inUse && facts.status !== 'deleting') expect(planSnapshot(facts, copy)).not.toBe('expire')
})
