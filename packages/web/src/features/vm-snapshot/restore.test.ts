import { expect, test } from 'vitest'
import { addedDisks, canRestore, lostDisks } from './restore.ts'

const ledger = { disk_id: 'd1', name: 'ledger', size: '10Gi' }
const journal = { disk_id: 'd2', name: 'journal', size: '20Gi' }
const snapshot = { status: 'ready' as const, vm_id: 'v', has_memory: false, disks: [ledger] }
const vm = { id: 'v', status: 'running' as const, disks: [ledger] }

test.each(['running', 'stopped', 'error'] as const)('a VM that is %s can be put back', (status) => {
  expect(canRestore(snapshot, { ...vm, status })).toBe(true)
})

test('a VM on its way somewhere cannot be put back', () => {
  expect(canRestore(snapshot, { ...vm, status: 'starting' })).toBe(
    'VM cannot be restored while it is starting',
  )
})

test('a snapshot that is not ready restores nothing, whatever its VM', () => {
  for (const target of [vm, null, undefined]) {
    expect(canRestore({ ...snapshot, status: 'creating' }, target)).toBe('Snapshot is not ready')
  }
})

test('a VM that is gone cannot be put back, and one nobody knows about is left to the server', () => {
  expect(canRestore(snapshot, null)).toBe('The VM of this snapshot no longer exists')
  expect(canRestore(snapshot, undefined)).toBe(true)
})

test('memory needs the disks it was saved with, and no other ones', () => {
  const without = { ...vm, disks: [journal] }
  expect(canRestore(snapshot, without)).toBe(true)
  expect(canRestore({ ...snapshot, has_memory: true }, without)).toBe(
    'Disk "ledger" of this snapshot is no longer attached to the VM',
  )
  const more = { ...vm, disks: [ledger, journal] }
  expect(canRestore(snapshot, more)).toBe(true)
  expect(canRestore({ ...snapshot, has_memory: true }, more)).toBe(
    'Disk "journal" is not in this snapshot, whose memory fits only the disks of that time. Detach it and restore again.',
  )
})

test('disks are told that were attached then only, or now only', () => {
  const now = { disks: [journal] }
  expect(lostDisks(snapshot, now)).toEqual([ledger])
  expect(addedDisks(snapshot, now)).toEqual([journal])
})
