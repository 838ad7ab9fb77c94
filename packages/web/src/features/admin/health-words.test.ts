import { expect, it } from 'vitest'
import { durationText, inBinsText, reconcilerNote } from './health-words.ts'

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [2540, '2.5 s'],
  [119_900, '119.9 s'],
  [180_000, '3 min'],
])('%i ms are told as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

const well = { failing: 0, failures_in_a_row: 0, scans_failed_in_a_row: 0, abandoned_under_way: 0 }
it.each([
  [well, null],
  [{ ...well, failing: 1, failures_in_a_row: 3 }, '1 object failing, one of them 3 times in a row.'],
  [{ ...well, scans_failed_in_a_row: 1 }, 'The last scan failed.'],
  [
    { failing: 2, failures_in_a_row: 1, scans_failed_in_a_row: 2, abandoned_under_way: 1 },
    '2 objects failing, one of them 1 time in a row. The last 2 scans failed. 1 look did not end in time.',
  ],
])('%j is told as %s', (health, note) => {
  expect(reconcilerNote(health)).toBe(note)
})

it('what is in bins is told, and what there is none of is left out', () => {
  const none = { vms: 0, disks_bytes: 0, vm_snapshots_bytes: 0, disk_snapshots_bytes: 0 }
  const gb = 1024 ** 3
  expect(inBinsText(none)).toBe('Nothing')
  expect(inBinsText({ ...none, vms: 1 })).toBe('1 VM')
  expect(inBinsText({ vms: 3, disks_bytes: 10 * gb, vm_snapshots_bytes: gb, disk_snapshots_bytes: gb })).toBe(
    '3 VMs, 10 GB of disks, and 2 GB of snapshots',
  )
})
