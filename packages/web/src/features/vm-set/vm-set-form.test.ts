import { expect, test } from 'vitest'
import { newDiskDraft } from '../vm-group/group-form.ts'
import { brokenRules, emptyVmSetForm, scalingText, toBody, type VmSetForm } from './vm-set-form.ts'

const form = (more: Partial<VmSetForm> = {}): VmSetForm => ({
  ...emptyVmSetForm,
  name: 'db',
  templateId: 't',
  sshKeyId: 'k',
  ...more,
})
const first = (more: Partial<VmSetForm>, projectId = 'p') =>
  brokenRules(form(more), projectId)[0]?.text ?? null

test('a fresh set has two VMs and keeps their root disks', () => {
  expect(emptyVmSetForm).toMatchObject({ replicas: 2, persistent: true, disks: [] })
})

test('the body has exactly the fields of the call', () => {
  const disks = [{ ...newDiskDraft, name: ' data ', size: '20' }]
  expect(
    toBody(form({ name: ' db ', description: ' ledger ', replicas: 3, persistent: false, disks })),
  ).toEqual({
    name: 'db',
    description: 'ledger',
    template_id: 't',
    ssh_key_id: 'k',
    replicas: 3,
    persistent: false,
    disks: [{ name: 'data', size: '20Gi', source: 'EMPTY' }],
  })
})

test('the rules are told in their order: name, project, SSH key, template, replicas, then disks', () => {
  const nothing = { name: ' ', sshKeyId: '', templateId: '', replicas: 0, disks: [newDiskDraft] }
  expect(first(nothing)).toBe('Please enter a VM Set name.')
  expect(first({ ...nothing, name: 'a' }, '')).toBe('Please select a project.')
  expect(first({ ...nothing, name: 'a' })).toBe('Please select an SSH key for secure access.')
  expect(first({ ...nothing, name: 'a', sshKeyId: 'k' })).toBe('Please select a template.')
  const chosen = { replicas: 0, disks: [newDiskDraft] }
  expect(first(chosen)).toBe('Number of replicas must be at least 1')
  expect(first({ ...chosen, replicas: 21 })).toBe('Number of replicas cannot be greater than 20')
  expect(first({ ...chosen, replicas: 20 })).toBe('Please enter a name for disk #1')
  expect(first({ disks: [{ ...newDiskDraft, name: 'data', size: '' }] })).toBe(
    'Please enter a size for disk #1',
  )
  expect(first({})).toBeNull()
})

test.each([
  [1, 'Keeps 1 VM: a VM that fails is restarted or replaced, and a deleted VM is replaced.'],
  [20, 'Keeps 20 VMs: a VM that fails is restarted or replaced, and a deleted VM is replaced.'],
  [0, 'A set has 1 to 20 VMs.'],
  [21, 'A set has 1 to 20 VMs.'],
])('%d replicas: %s', (replicas, text) => {
  expect(scalingText(form({ replicas }))).toBe(text)
})
