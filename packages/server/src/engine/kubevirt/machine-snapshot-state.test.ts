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
  const holding = (...includedVolumes: string[]): Status => ({
    ...ready,
    snapshotVolumes: { includedVolumes },
  })
  const failed = expect.objectContaining({ is: 'failed' })
  const [going, done]: [Status, Status] = [{ phase: 'InProgress' }, { phase: 'Succeeded' }]
  const coming = { is: 'coming', trouble: null }
  test.each<[string, Status | null, wanted: string[], is: object]>([
    ['is whole when what was wanted is in it', ready, ['root', 'disk-1'], { is: 'whole' }],
    ['is whole with more; a seed that is not does no harm', ready, ['root'], { is: 'whole' }],
    ['has failed when it says ready and holds no volume at all', holding(), ['root'], failed],
    ['has failed when it does not say what it holds', { ...ready, snapshotVolumes: {} }, ['root'], failed],
    ['has failed without the root disk', holding('disk-1'), ['root', 'disk-1'], failed],
    [
      'has failed when one disk is missing',
      ready,
      ['root', 'disk-1', 'disk-2'],
      expect.objectContaining({ is: 'failed', why: expect.stringMatching(/a disk/) }),
    ],
    ['is on its way while nothing is said', null, ['root'], coming],
    ['is on its way while it goes on', going, ['root'], coming],
    ['is on its way while it does not say what is in it', { ...done, readyToUse: true }, ['root'], coming],
    ['is on its way while not ready', { ...ready, readyToUse: false }, ['root'], coming],
    [
      'may heal while it is made',
      { ...going, error: { message } },
      ['root'],
      { ...coming, trouble: message },
    ],
    ['has failed when KubeVirt gave up', { phase: 'Failed' }, ['root'], failed],
    [
      'has failed with what KubeVirt says',
      { phase: 'Failed', error: { message } },
      ['root'],
      { is: 'failed', why: message },
    ],
    [
      'is damaged when a part of it went away later',
      { ...ready, readyToUse: false, error: { message } },
      ['root'],
      { is: 'damaged', why: message },
    ],
  ])('%s', (_, status, wanted, is) => {
    expect(takingOf(status, wanted)).toEqual(is)
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
