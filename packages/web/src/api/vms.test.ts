import { type Vm, vmStatuses } from '@slipway/contract'
import { expect, test } from 'vitest'
import { readVm } from './vms.ts'

const vm = (id: string): Vm => ({
  id,
  project_id: 'p',
  name: id,
  status: 'running',
  status_message: null,
  status_since: '2026-11-21T10:00:00.000Z',
  status_deadline: null,
  created_at: '2026-11-21T10:00:00.000Z',
  template_id: 't',
  template_name: 'Rust',
  ssh_key_id: 'k',
  ssh_key_name: 'laptop',
  ssh_key_due: null,
  ip_address: null,
  ssh_port: 22,
  cpu: 1,
  memory_mb: 512,
  next_cpu: null,
  size_due: null,
  next_memory_mb: null,
  root_disk_gb: null,
  next_root_disk_gb: null,
  persistent: true,
  note: '',
  tags: [],
  delete_protection: false,
  suspend_after_minutes: null,
  suspends_at: null,
  vmpool_id: null,
  vmset_id: null,
  disks: [],
  steps: [],
})
test('a nested key name is read as well', () => {
  const { ssh_key_name: _, ...rest } = vm('a')
  const nested = { ...rest, ssh_key: { name: 'desk' } } as unknown as Vm // an answer of another server
  expect(readVm(nested).ssh_key_name).toBe('desk')
})

test('the words of the status are read in any letter case, and an unknown one as it is', () => {
  const read = (status: string) => readVm({ ...vm('a'), status } as Vm).status // as above
  for (const word of vmStatuses) {
    const mixed = word.charAt(0).toUpperCase() + word.slice(1)
    for (const sent of [word, word.toUpperCase(), mixed]) expect(read(sent)).toBe(word)
  }
  expect(read('migrating')).toBe('migrating')
  expect(read('Migrating')).toBe('Migrating')
})
