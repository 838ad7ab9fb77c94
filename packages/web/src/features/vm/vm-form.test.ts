import { expect, test } from 'vitest'
import { emptyVmForm, firstBrokenRule, toBody, type VmForm } from './vm-form.ts'

const good: VmForm = { name: ' api ', templateId: 't', sshKeyId: 'k', persistent: false, disks: [] }
const broken = (change: Partial<VmForm>, projectId: string | undefined = 'p') =>
  firstBrokenRule({ ...good, ...change }, projectId)?.text

test('the body has exactly the fields of the call', () => {
  expect(toBody(good)).toEqual({ name: 'api', template_id: 't', ssh_key_id: 'k', persistent: false })
  expect(toBody({ ...good, disks: [{ diskId: 'd1' }] })).toEqual({
    name: 'api',
    template_id: 't',
    ssh_key_id: 'k',
    persistent: false,
    disks: [{ disk_id: 'd1' }],
  })
})

test('a complete form breaks no rule', () => {
  expect(firstBrokenRule(good, 'p')).toBeNull()
})

test('each rule has its own sentence', () => {
  expect(broken({ name: '   ' })).toBe('Please enter a VM name')
  expect(firstBrokenRule(good, undefined)?.text).toBe('Please select a project')
  expect(broken({ sshKeyId: '' })).toBe('Please select an SSH key for secure access')
  expect(broken({ templateId: '' })).toBe('Please select a template')
  expect(broken({ disks: [{ diskId: '' }] })).toBe('Please select an existing disk for all disk entries')
  expect(broken({ disks: [{ diskId: 'd' }, { diskId: 'd' }] })).toBe(
    'Please select an existing disk for all disk entries',
  )
})

test('rules are told in the order of the form', () => {
  const form: VmForm = { ...emptyVmForm, disks: [{ diskId: '' }] }
  const told: string[] = []
  const fixes: Partial<VmForm>[] = [{ name: 'a' }, { sshKeyId: 'k' }, { templateId: 't' }]
  let fixed = form
  for (const fix of [{}, ...fixes]) {
    fixed = { ...fixed, ...fix }
    told.push(firstBrokenRule(fixed, 'p')?.field ?? 'none')
  }
  expect(told).toEqual(['name', 'sshKey', 'template', 'disks'])
  expect(firstBrokenRule({ ...form, name: 'a' }, undefined)?.field).toBe('project')
})
