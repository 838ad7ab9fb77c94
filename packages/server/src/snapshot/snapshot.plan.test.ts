import { expect, test } from 'vitest'
import {
  planSnapshot,
  type SnapshotCopy,
  type SnapshotFacts,
  type SnapshotStep,
  type SnapshotWork,
} from './snapshot.plan.ts'

const statuses = ['pending', 'creating', 'ready', 'deleting', 'failed', 'error'] as const
const copies = ['absent', 'whole', 'broken', 'unreadable'] as const
const works = ['none', 'making', 'made', 'deleting', 'deleted'] as const
const bools = [false, true] as const

type World = [SnapshotFacts, SnapshotCopy, SnapshotWork]

function* every(): Generator<World> {
  for (const status of statuses)
    for (const expired of bools)
      for (const inUse of bools)
        for (const troubled of bools)
          for (const copy of copies)
            for (const work of works) {
              // Only what is to be deleted is being deleted.
              if (work.startsWith('delet') && status !== 'deleting') continue
              for (const isKept of status === 'deleting' ? bools : [false])
                yield [{ status, isKept, expired, inUse, troubled }, copy, work]
            }
}

/** What comes of a step when the engine has luck or none; null when the snapshot is gone. */
function act([facts, copy, work]: World, lucky: boolean): World | null {
  switch (planSnapshot(facts, copy, work)) {
    case 'make':
      return [{ ...facts, status: 'creating' }, lucky ? 'whole' : 'absent', 'made']
    case 'take':
      return lucky
        ? [{ ...facts, status: 'ready', troubled: false }, 'whole', 'none']
        : [{ ...facts, status: 'failed' }, 'absent', 'none']
    case 'take-up':
      return copy === 'whole'
        ? [facts, copy, 'made']
        : [{ ...facts, status: 'failed', troubled: true }, 'absent', 'none']
    case 'abort':
      return [facts, copy, 'made']
    case 'delete':
      return [facts, copy, 'deleted']
    case 'take-deletion':
      return lucky ? null : [facts, copy, 'none']
    case 'clear':
      return [facts, 'absent', 'none']
    case 'lose':
      return [{ ...facts, status: 'error', troubled: true }, copy, work]
    case 'found':
      return [{ ...facts, status: 'ready', troubled: false }, copy, work]
    case 'wait':
      // The files can be read again; what they turn out to be is luck.
      return [{ ...facts, troubled: true }, lucky ? 'whole' : 'absent', work]
    case 'expire':
      return [{ ...facts, status: 'deleting' }, copy, work]
    case 'rest':
      // The job ends.
      return [facts, copy, work === 'making' ? 'made' : work === 'deleting' ? 'deleted' : work]
  }
}

const isAtRest = (world: World) =>
  planSnapshot(...world) === 'rest' && world[2] !== 'making' && world[2] !== 'deleting'

test('a snapshot converges from everything there can be, and then rests or is gone', () => {
  for (const start of every()) {
    for (const lucky of bools) {
      let world: World | null = start
      let steps = 0
      while (world && !isAtRest(world)) {
        // A deletion that fails is tried again until it does not.
        world = act(world, lucky || steps > 4)
        if (++steps > 12) expect.fail(`no rest from ${JSON.stringify(start)}`)
      }
      const [facts] = start
      if (!world) {
        expect(facts.status === 'deleting' || (facts.expired && !facts.inUse)).toBe(true)
        continue
      }
      if (world[0].isKept) continue
      expect(['ready', 'failed', 'error']).toContain(world[0].status)
      if (world[0].status === 'ready') expect(world[1]).toBe('whole')
    }
  }
})

test('nothing is done to a snapshot in the bin, whether its days are over or not', () => {
  for (const world of every()) if (world[0].isKept) expect(planSnapshot(...world)).toBe('rest')
})

test('what is being read does not expire', () => {
  for (const world of every())
    if (world[0].inUse && world[0].status !== 'deleting') expect(planSnapshot(...world)).not.toBe('expire')
})

test('a snapshot that cannot be read is neither lost nor removed', () => {
  for (const [facts, copy, work] of every())
    if (copy === 'unreadable' && work === 'none' && facts.status !== 'deleting' && !facts.expired)
      expect(['wait', 'make', 'rest']).toContain(planSnapshot(facts, copy, work))
})

test('a snapshot that was lost is ready again when its files are there again', () => {
  const lost: SnapshotFacts = { status: 'error', isKept: false, expired: false, inUse: false, troubled: true }
  expect(planSnapshot(lost, 'whole', 'none')).toBe('found')
  for (const copy of ['absent', 'broken'] as const) expect(planSnapshot(lost, copy, 'none')).toBe('rest')
})

test.each<[Partial<SnapshotFacts>, SnapshotCopy, SnapshotWork, SnapshotStep]>([
  [{ status: 'pending' }, 'absent', 'none', 'make'],
  [{ status: 'pending' }, 'unreadable', 'none', 'make'],
  [{ status: 'pending' }, 'absent', 'making', 'rest'],
  [{ status: 'creating' }, 'absent', 'making', 'rest'],
  [{ status: 'creating' }, 'whole', 'made', 'take'],
  [{ status: 'creating' }, 'unreadable', 'made', 'take'],
  [{ status: 'creating' }, 'broken', 'none', 'take-up'],
  [{ status: 'creating' }, 'unreadable', 'none', 'wait'],
  [{ status: 'creating', expired: true }, 'whole', 'none', 'take-up'],
  [{ status: 'deleting' }, 'whole', 'none', 'delete'],
  [{ status: 'deleting' }, 'whole', 'making', 'abort'],
  [{ status: 'deleting' }, 'whole', 'made', 'delete'],
  [{ status: 'deleting' }, 'whole', 'deleting', 'rest'],
  [{ status: 'deleting' }, 'absent', 'deleted', 'take-deletion'],
  [{}, 'whole', 'none', 'rest'],
  [{ troubled: true }, 'whole', 'none', 'found'],
  [{ troubled: true }, 'unreadable', 'none', 'wait'],
  [{}, 'absent', 'none', 'lose'],
  [{}, 'broken', 'none', 'lose'],
  [{}, 'whole', 'making', 'abort'],
  [{ expired: true }, 'whole', 'making', 'abort'],
  [{ expired: true }, 'unreadable', 'none', 'expire'],
  [{ expired: true, inUse: true }, 'whole', 'none', 'rest'],
  [{ status: 'failed' }, 'absent', 'making', 'abort'],
  [{ status: 'failed' }, 'absent', 'made', 'clear'],
  [{ status: 'failed' }, 'whole', 'none', 'clear'],
  [{ status: 'failed' }, 'broken', 'none', 'clear'],
  [{ status: 'failed' }, 'unreadable', 'none', 'rest'],
  [{ status: 'failed', expired: true }, 'broken', 'none', 'expire'],
  [{ status: 'error' }, 'unreadable', 'none', 'wait'],
])('a snapshot of %j whose copy is %s, with work %s: %s', (facts, copy, work, step) => {
  const ready: SnapshotFacts = {
    status: 'ready',
    isKept: false,
    expired: false,
    inUse: false,
    troubled: false,
  }
  expect(planSnapshot({ ...ready, ...facts }, copy, work)).toBe(step)
})
