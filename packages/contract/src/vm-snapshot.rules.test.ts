import { describe, expect, it } from 'vitest'
import {
  disksOfThenRefusals,
  formatSnapshotSize,
  hasDisksOfThen,
  isSnapshotUnderWay,
  snapshotCan,
  snapshotConsistencies,
  vmSnapshotRetention,
  vmSnapshotStateOf,
  vmSnapshotStatuses,
  vmSnapshotTexts,
  vmSnapshotTypeAllowed,
  vmSnapshotTypes,
} from './vm-snapshot.rules.ts'

describe('the status of a VM snapshot', () => {
  it('is understood in any letter case, in two older words as well, and kept where nobody knows it', () => {
    const words = ['Completed', 'PROCESSING', 'READY', 'Archived']
    expect(words.map((status) => vmSnapshotStateOf({ status }))).toEqual([
      'ready',
      'creating',
      'ready',
      'archived',
    ])
  })

  it('says what may be done with it', () => {
    const words = [...vmSnapshotStatuses, 'completed', 'processing']
    const where = (is: (snapshot: { status: string }) => unknown) =>
      words.filter((status) => is({ status }) === true)
    const underWay = ['pending', 'creating', 'deleting', 'processing']
    expect(where(isSnapshotUnderWay)).toEqual(underWay)
    expect(where(snapshotCan.delete)).toEqual(['ready', 'failed', 'error', 'completed'])
    expect(snapshotCan.delete({ status: 'pending' })).toBe(vmSnapshotTexts.inUse)
    for (const action of ['restore', 'createDisk', 'download', 'createVms'] as const) {
      expect(where(snapshotCan[action]), action).toEqual(['ready', 'completed'])
      expect(snapshotCan[action]({ status: 'failed' }), action).toBe(vmSnapshotTexts.notReady)
    }
  })
})

describe('a VM snapshot', () => {
  it('is of the disks alone where memory cannot be saved', () => {
    expect(vmSnapshotTypes.map((type) => vmSnapshotTypeAllowed(type, { memory_snapshots: 'No.' }))).toEqual([
      true,
      'No.',
    ])
    expect(vmSnapshotTypes).toEqual(['disk', 'full'])
  })

  it('promises one of four things', () => {
    expect(snapshotConsistencies).toEqual(['clean', 'memory', 'frozen', 'crash'])
  })

  it('is kept for as many days as its sentence says', () => {
    const { min, max, default: usual } = vmSnapshotRetention
    expect(vmSnapshotTexts.retentionInvalid).toBe(`Retention must be between ${min} and ${max} days`)
    expect(usual).toBe(30)
  })

  it.each([
    [null, 'Unknown'],
    [undefined, 'Unknown'],
    [0, '0 MB'],
    [1023, '1023 MB'],
    [1024, '1.0 GB'],
    [1536, '1.5 GB'],
  ])('of %j MB has the size %s', (size, text) => {
    expect(formatSnapshotSize(size)).toBe(text)
  })
})

describe('the disks of a VM that goes back to a snapshot', () => {
  const disk = (disk_id: string) => ({ disk_id, name: `data-${disk_id}` })
  const [a, b, c] = [disk('a'), disk('b'), disk('c')]
  const lost = 'Disk "data-b" of this snapshot is no longer attached to the VM'
  const added =
    'Disk "data-c" is not in this snapshot, whose memory fits only the disks of that time. Detach it and restore again.'

  it.each([
    [[a, b], true],
    [[{ ...b, name: 'renamed' }, a], true],
    [[a], lost],
    [[a, c], lost],
    [[a, b, c], added],
  ])('have to be those of then if it has memory: %j', (attached, verdict) => {
    expect(hasDisksOfThen({ has_memory: true, disks: [a, b] }, attached)).toBe(verdict)
  })

  it('may be any where it has no memory', () => {
    expect(hasDisksOfThen({ has_memory: false, disks: [a, b] }, [c])).toBe(true)
  })

  it('are named in the documentation of both refusals', () => {
    expect(disksOfThenRefusals).toEqual([lost.replace('data-b', '<name>'), added.replace('data-c', '<name>')])
  })
})
