import { describe, expect, test } from 'vitest'
import type { MachineSnapshot } from './kinds.ts'
import { consistencyOf, mustHold, takingOf } from './machine-snapshot-state.ts'

type Status = NonNullable<MachineSnapshot['status']>
const ready: Status = {
  phase: 'Succeeded',
  readyToUse: true,
  virtualMachineSnapshotContentName: 'content',
  snapshotVolumes: { includedVolumes: ['root', 'disk-1'], excludedVolumes: ['seed'] },
}
const message = 'VolumeSnapshot a error: played'

describe('a snapshot of a machine', () => {
  test('is whole when what was wanted is in it; a seed that is not does no harm', () => {
    expect(takingOf(ready, ['root', 'disk-1'])).toEqual({ is: 'whole' })
    expect(takingOf(ready, ['root'])).toEqual({ is: 'whole' })
  })

  test('has failed when it says ready and holds no volume at all', () => {
    const empty = {
      ...ready,
      indications: ['PartialSnapshot'],
      snapshotVolumes: { excludedVolumes: ['root', 'seed'] },
    }
    expect(takingOf(empty, ['root'])).toMatchObject({ is: 'failed' })
    expect(takingOf({ ...empty, snapshotVolumes: {} }, ['root'])).toMatchObject({ is: 'failed' })
  })

  test('has failed when one volume is missing', () => {
    expect(takingOf(ready, ['root', 'disk-1', 'disk-2'])).toMatchObject({ is: 'failed', why: /a disk/ })
    const rootless = { ...ready, snapshotVolumes: { includedVolumes: ['disk-1'] } }
    expect(takingOf(rootless, ['root', 'disk-1'])).toMatchObject({ is: 'failed' })
  })

  test.each<[string, Status | null]>([
    ['nothing', null],
    ['that it goes on', { phase: 'InProgress' }],
    ['ready, but not what is in it', { phase: 'Succeeded', readyToUse: true }],
    ['what is in it, but not ready', { ...ready, readyToUse: false }],
  ])('is on its way while KubeVirt says %s', (_, status) => {
    expect(takingOf(status, ['root'])).toEqual({ is: 'coming', trouble: null })
  })

  test('may heal while it is being made', () => {
    expect(takingOf({ phase: 'InProgress', error: { message } }, ['root'])).toEqual({
      is: 'coming',
      trouble: message,
    })
  })

  test('has failed when KubeVirt gave up', () => {
    expect(takingOf({ phase: 'Failed' }, ['root'])).toMatchObject({ is: 'failed' })
    expect(takingOf({ phase: 'Failed', error: { message } }, ['root'])).toEqual({
      is: 'failed',
      why: message,
    })
  })

  test('is damaged when a part of it went away later', () => {
    expect(takingOf({ ...ready, readyToUse: false, error: { message } }, ['root'])).toEqual({
      is: 'damaged',
      why: message,
    })
  })

  test('must hold the root disk and the data volumes, when nobody remembers what was wanted', () => {
    expect(mustHold(ready, 'disk-')).toEqual(['root'])
    const without = {
      ...ready,
      snapshotVolumes: { includedVolumes: ['root'], excludedVolumes: ['seed', 'disk-1'] },
    }
    expect(takingOf(without, mustHold(without, 'disk-'))).toMatchObject({ is: 'failed' })
  })
})

test.each<[string[] | undefined, string]>([
  [undefined, 'clean'],
  [['PartialSnapshot'], 'clean'],
  [['GuestAgent', 'Online'], 'frozen'],
  [['NoGuestAgent', 'Online'], 'crash'],
  [['Paused', 'Online'], 'crash'],
  [['GuestAgent', 'Online', 'QuiesceTimeout'], 'crash'],
])('with the marks %j it is %s', (indications, consistency) => {
  expect(consistencyOf(indications ? { indications } : {})).toBe(consistency)
})
