import { expect, test } from 'vitest'
import { defaultVmName, firstBrokenRule, toBody, type VmFromDiskForm } from './vm-from-disk.ts'

const form: VmFromDiskForm = { name: 'data1-vm', templateId: 't', sshKeyId: 'k', persistent: true }

test('the VM is named after its disk, within the limit of a name', () => {
  expect(defaultVmName({ name: 'data1' })).toBe('data1-vm')
  expect(defaultVmName({ name: 'x'.repeat(100) })).toBe(`${'x'.repeat(97)}-vm`)
  expect(defaultVmName({ name: `${'x'.repeat(96)}🚀` })).toBe(`${'x'.repeat(96)}-vm`)
})

test('the rules are told in their order: project, name, template, SSH key', () => {
  const nothing = { name: ' ', templateId: '', sshKeyId: '', persistent: true }
  expect(firstBrokenRule(nothing, undefined)).toBe('No project selected')
  expect(firstBrokenRule(nothing, 'p')).toBe('Please enter a VM name')
  expect(firstBrokenRule({ ...nothing, name: 'a' }, 'p')).toBe('Please select a template')
  expect(firstBrokenRule({ ...nothing, name: 'a', templateId: 't' }, 'p')).toBe('Please select an SSH key')
  expect(firstBrokenRule(form, 'p')).toBeNull()
})

test('the body names the disk and repeats the project', () => {
  expect(toBody({ ...form, name: ' data1-vm ' }, { id: 'd', project_id: 'p' })).toEqual({
    name: 'data1-vm',
    template_id: 't',
    ssh_key_id: 'k',
    persistent: true,
    disks: [{ disk_id: 'd' }],
    project_id: 'p',
  })
})
