import { startScriptTexts, vmChangeTexts } from '@slipway/contract'
import { expect, test } from 'vitest'
import { brokenRootDisk, parseRootDisk, rootDiskBytes, rootDiskHint } from './root-disk.ts'
import {
  brokenPorts,
  brokenScript,
  emptyVmForm,
  firstBrokenRule,
  parsePorts,
  toBody,
  type VmForm,
} from './vm-form.ts'
import { brokenSize, sizeOf } from './vm-size.ts'

const good: VmForm = {
  name: ' api ',
  templateId: 't',
  sshKeyId: 'k',
  cpu: '',
  memoryMb: '',
  persistent: false,
  rootDisk: '',
  disks: [],
  ports: '',
  startScript: '',
}
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

test('the body has the processors and the memory that are chosen', () => {
  expect(toBody({ ...good, cpu: ' 4 ', memoryMb: '2048' })).toMatchObject({ cpu: 4, memory_mb: 2048 })
  expect(broken({ cpu: '4', memoryMb: '2048' })).toBe(undefined)
})

test.each([
  ['0', vmChangeTexts.cpu],
  ['1.5', vmChangeTexts.cpu],
  ['many', vmChangeTexts.cpu],
  ['', undefined],
])('%j processors', (cpu, problem) => {
  expect([brokenSize('cpu', cpu), broken({ cpu })]).toEqual([problem, problem])
})

test('what is not chosen, or wrongly, is as the template has it', () => {
  const template = { default_cpu: 2, default_memory_mb: 512 }
  expect(sizeOf(good, template)).toEqual({ cpu: 2, memory_mb: 512 })
  expect(sizeOf({ cpu: '4', memoryMb: 'x' }, template)).toEqual({ cpu: 4, memory_mb: 512 })
  expect(sizeOf({ cpu: '', memoryMb: '1024' }, template)).toEqual({ cpu: 2, memory_mb: 1024 })
  expect(broken({ memoryMb: '1' })).toBe(vmChangeTexts.memory)
})

test('the body names the ports to share, and leaves them out when there are none', () => {
  expect(toBody({ ...good, ports: '3000, 5173' }).share_ports).toEqual([3000, 5173])
  expect(toBody({ ...good, ports: ' , ' })).not.toHaveProperty('share_ports')
})

test('the body has the start script as it was typed, and none where there is nothing to run', () => {
  expect(toBody({ ...good, startScript: '#!/bin/sh\n ' }).start_script).toBe('#!/bin/sh\n ')
  expect(toBody({ ...good, startScript: ' \n' })).not.toHaveProperty('start_script')
})

test.each([
  ['', undefined, undefined],
  [' ', undefined, undefined],
  ['30', 30, undefined],
  [' 30 GB', 30, undefined],
  ['1TB', 1024, undefined],
  ['0', Number.NaN, vmChangeTexts.rootDisk],
  ['large', Number.NaN, vmChangeTexts.rootDisk],
  ['9999', 9999, vmChangeTexts.rootDisk],
])('a root disk of %j', (rootDisk, gi, problem) => {
  expect(brokenRootDisk(rootDisk)).toBe(problem)
  expect(broken({ rootDisk })).toBe(problem)
  if (gi === undefined) expect(toBody({ ...good, rootDisk })).not.toHaveProperty('root_disk_gb')
  else expect([parseRootDisk(rootDisk), toBody({ ...good, rootDisk }).root_disk_gb]).toEqual([gi, gi])
})

test.each([
  ['\n', undefined],
  ['#!/bin/sh\n', undefined],
  ['echo hello', startScriptTexts.form],
])('what is wrong with the start script %j', (startScript, problem) => {
  expect(brokenScript(startScript)).toBe(problem)
  expect(broken({ startScript })).toBe(problem)
})

test.each([
  ['', []],
  ['   ', []],
  ['3000', [3000]],
  ['3000, 5173', [3000, 5173]],
  [' 1;65535 ,\n80,', [1, 65_535, 80]],
  ['http', [Number.NaN]],
  ['80.5 -1 1e3 0x50', [Number.NaN, Number.NaN, Number.NaN, Number.NaN]],
])('the ports in %j', (text, ports) => {
  expect(parsePorts(text)).toEqual(ports)
})

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(' ')

test.each([
  ['', undefined],
  ['1, 65535', undefined],
  [upTo(20), undefined],
  ['0', 'Enter a port from 1 to 65535'],
  ['65536', 'Enter a port from 1 to 65535'],
  ['9'.repeat(400), 'Enter a port from 1 to 65535'],
  ['3000, web', 'Enter a port from 1 to 65535'],
  ['80 443 080', 'Enter each port once'],
  [upTo(21), 'Share at most 20 ports of a VM'],
])('what is wrong with the ports %j', (text, problem) => {
  expect(brokenPorts(text)).toBe(problem)
  expect(broken({ ports: text })).toBe(problem)
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

test('a root disk takes of a quota what it is larger than nothing, unless it is that of the template', () => {
  expect(['', '30', '20', 'x'].map((text) => rootDiskBytes(text, 20))).toEqual([0, 30 * 1024 ** 3, 0, 0])
  expect(rootDiskBytes('20', null)).toBe(20 * 1024 ** 3)
  expect([rootDiskHint(4), rootDiskHint(null), rootDiskHint(undefined)]).toEqual([
    'Left empty, it has the 4 GB of the template.',
    'Left empty, it is as large as the template makes it.',
    'Left empty, it is as large as the template makes it.',
  ])
})

test('rules are told in the order of the form', () => {
  const form: VmForm = {
    ...emptyVmForm,
    rootDisk: 'x',
    disks: [{ diskId: '' }],
    ports: '0',
    startScript: 'x',
  }
  const fixes = [
    { name: 'a' },
    { sshKeyId: 'k' },
    { templateId: 't' },
    { rootDisk: '' },
    { disks: [] },
    { ports: '' },
  ]
  const told = [{}, ...fixes].map((_, fixed) =>
    firstBrokenRule(Object.assign({}, form, ...fixes.slice(0, fixed)), 'p'),
  )
  expect(told.map((rule) => rule?.field)).toEqual([
    ...['name', 'sshKey', 'template', 'rootDisk', 'disks', 'ports', 'startScript'],
  ])
  expect(firstBrokenRule({ ...form, name: 'a' }, undefined)?.field).toBe('project')
})
