import { describe, expect, test } from 'vitest'
import { newDiskDraft } from '../vm-group/group-form.ts'
import { brokenRules, emptyVmPoolForm, scalingText, toBody, type VmPoolForm } from './vm-pool-form.ts'

const form = (more: Partial<VmPoolForm> = {}): VmPoolForm => ({
  ...emptyVmPoolForm,
  name: 'web',
  templateId: 't',
  sshKeyId: 'k',
  ...more,
})
const sized = (minSize: number, desiredSize: number, maxSize: number, more: Partial<VmPoolForm> = {}) =>
  form({ minSize, desiredSize, maxSize, ...more })
const first = (more: VmPoolForm, projectId: string | undefined = 'p') =>
  brokenRules(more, projectId)[0]?.text ?? null

test('a fresh pool has one VM, scales by itself up to three and keeps its root disks', () => {
  expect(emptyVmPoolForm).toMatchObject({
    minSize: 1,
    desiredSize: 1,
    maxSize: 3,
    persistent: true,
    autoScaling: true,
    disks: [],
  })
})

test('the body has exactly the fields of the call', () => {
  const disks = [{ ...newDiskDraft, name: ' data ', size: '20GB' }]
  expect(
    toBody(sized(0, 2, 4, { name: ' web ', description: ' nodes ', autoScaling: false, disks })),
  ).toEqual({
    name: 'web',
    description: 'nodes',
    template_id: 't',
    ssh_key_id: 'k',
    min_size: 0,
    max_size: 4,
    desired_size: 2,
    persistent: true,
    auto_scaling: false,
    disks: [{ name: 'data', size: '20Gi', source: 'EMPTY' }],
  })
  expect(toBody(form()).disks).toEqual([])
})

describe('the rules are told in their order', () => {
  test('name, project, SSH key, template, sizes, then disks', () => {
    const disks = [
      { ...newDiskDraft, name: 'data' },
      { ...newDiskDraft, size: '' },
    ]
    const nothing = sized(5, 9, 3, { name: ' ', sshKeyId: '', templateId: '', disks })
    expect(first(nothing, undefined)).toBe('Please enter a VM Pool name.')
    expect(brokenRules({ ...nothing, name: 'a' }, undefined)[0]?.text).toBe('Please select a project.')
    const named = { ...nothing, name: 'a' }
    expect(first(named)).toBe('Please select an SSH key for secure access.')
    expect(first({ ...named, sshKeyId: 'k' })).toBe('Please select a template.')
    const chosen = { ...named, sshKeyId: 'k', templateId: 't' }
    expect(first(chosen)).toBe('Minimum size cannot be greater than maximum size.')
    expect(first({ ...chosen, minSize: 1 })).toBe('Desired size must be between minimum and maximum size.')
    const sized1 = { ...chosen, minSize: 1, desiredSize: 1 }
    expect(first(sized1)).toBe('Please enter a name for disk #2')
    const named2 = { ...newDiskDraft, name: 'logs', size: ' ' }
    expect(first({ ...sized1, disks: [named2] })).toBe('Please enter a size for disk #1')
    expect(first({ ...sized1, disks: [{ ...named2, size: 'much' }] })).toBe('Please enter a valid disk size')
    expect(first({ ...sized1, disks: [] })).toBeNull()
  })
  test.each([
    [0, 1, 1, null],
    [0, 0, 1, 'Desired size must be between minimum and maximum size.'],
    [2, 1, 3, 'Desired size must be between minimum and maximum size.'],
    [1, 4, 3, 'Desired size must be between minimum and maximum size.'],
    [4, 4, 3, 'Minimum size cannot be greater than maximum size.'],
    [-1, 1, 3, 'Minimum size must be at least 0.'],
    [0, 1, 0, 'Maximum size must be at least 1.'],
    [1.5, 2, 3, 'Please enter whole numbers for the sizes.'],
    [1, 1, 1000, null],
    [1, 1, 1001, 'Maximum size cannot be greater than 1000.'],
  ])('sizes of %d, %d and %d: %s', (min, desired, max, text) => {
    expect(first(sized(min, desired, max))).toBe(text)
  })
  test('a description has an end', () => {
    expect(first(form({ description: 'x'.repeat(1001) }))).toBe(
      'Use at most 1000 characters for the description',
    )
  })
})

test.each([
  [sized(1, 2, 4), 'Starts with 2 VMs and scales automatically between 1 and 4.'],
  [sized(0, 1, 4), 'Starts with 1 VM and scales automatically between 1 and 4.'],
  [sized(3, 3, 3), 'Starts with 3 VMs and does not scale: minimum and maximum are the same.'],
  [sized(0, 1, 1), 'Starts with 1 VM and does not scale: minimum and maximum are the same.'],
  [sized(1, 2, 4, { autoScaling: false }), 'Starts with 2 VMs and keeps that number until you change it.'],
  [sized(4, 2, 1), 'These sizes cannot be combined.'],
  [sized(1, 1.5, 4), 'These sizes cannot be combined.'],
])('what will happen is told as it is', (typed, text) => {
  expect(scalingText(typed)).toBe(text)
})
