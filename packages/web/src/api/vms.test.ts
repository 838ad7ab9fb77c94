import { type Vm, vmStatuses } from '@slipway/contract'
import { expect, test } from 'vitest'
import { applyVmEvents } from './vms.ts'

const vm = (id: string, status: Vm['status'] = 'running'): Vm => ({
  id,
  project_id: 'p',
  name: id,
  status,
  status_message: null,
  status_since: '2026-11-21T10:00:00.000Z',
  status_deadline: null,
  created_at: '2026-11-21T10:00:00.000Z',
  template_id: 't',
  template_name: 'Rust',
  ssh_key_id: 'k',
  ssh_key_name: 'laptop',
  ip_address: null,
  ssh_port: 22,
  cpu: 1,
  memory_mb: 512,
  persistent: true,
  vmpool_id: null,
  vmset_id: null,
  disks: [],
  steps: [],
})
const words = (vms: Vm[]) => vms.map(({ id, status }) => `${id} ${status}`)

test('an event changes a VM in its place', () => {
  expect(words(applyVmEvents([vm('a'), vm('b')], [vm('a', 'stopping')]))).toEqual(['a stopping', 'b running'])
})

test('a new VM is last, a deleted one is gone, and a later event wins', () => {
  const events = [vm('c', 'pending'), { id: 'a', deleted: true } as const, vm('c', 'creating')]
  expect(words(applyVmEvents([vm('a'), vm('b')], events))).toEqual(['b running', 'c creating'])
})

test('a nested key name is read as well', () => {
  const { ssh_key_name: _, ...rest } = vm('a')
  const nested = { ...rest, ssh_key: { name: 'desk' } } as unknown as Vm // an answer of another server
  expect(applyVmEvents([], [nested])[0]?.ssh_key_name).toBe('desk')
})

test('the words of the status are read in any letter case, and an unknown one as it is', () => {
  const read = (status: string) => words(applyVmEvents([], [{ ...vm('a'), status } as Vm]))[0] // as above
  for (const word of vmStatuses) {
    const mixed = word.charAt(0).toUpperCase() + word.slice(1)
    for (const sent of [word, word.toUpperCase(), mixed]) expect(read(sent)).toBe(`a ${word}`)
  }
  expect(read('migrating')).toBe('a migrating')
  expect(read('Migrating')).toBe('a Migrating')
})
