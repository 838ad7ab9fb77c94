import { vmStatuses } from '@slipway/contract'
import { expect, test } from 'vitest'
import { isActive, matchesVm, noFilter, tagsOf, type VmFilter } from './vm-filter.ts'

const vm = {
  name: 'Payments-Worker 🚢',
  template_name: 'Rust',
  ssh_key_name: 'laptop',
  ip_address: '10.77.4.21',
  status: 'running',
  tags: ['prod', 'team/red'],
  note: 'Ask Ada before a restart.',
} satisfies Parameters<typeof matchesVm>[0]

const isFound = (search: string, of = vm) => matchesVm(of, { ...noFilter, search })

test.each(['', '  ', 'pay', 'PAY', '🚢', 'rust', '77.4', 'running', 'worker rust', 'team/red', 'ask prod'])(
  'the search "%s" finds the VM',
  (search) => {
    expect(isFound(search)).toBe(true)
  },
)

test.each(['python', 'rust python', 'pay  stopped'])('the search "%s" does not', (search) => {
  expect(isFound(search)).toBe(false)
})

test('each status is found by the choice that means it, and by no other', () => {
  const found = (status: VmFilter['status']) =>
    vmStatuses.filter((word) => matchesVm({ ...vm, status: word }, { ...noFilter, status }))
  expect(found('all')).toEqual([...vmStatuses])
  expect(found('running')).toEqual(['running'])
  expect(found('suspended')).toEqual(['suspended'])
  expect(found('stopped')).toEqual(['stopped'])
  expect(found('provisioning')).toEqual(['pending', 'creating', 'provisioning', 'starting'])
  expect(found('failed')).toEqual(['failed', 'error'])
})

test('a tag is meant as a whole, together with the status and the search', () => {
  const meant = (filter: Partial<VmFilter>) => matchesVm(vm, { ...noFilter, ...filter })
  expect(meant({ tag: 'prod' })).toBe(true)
  expect(meant({ tag: 'pro' })).toBe(false)
  expect(meant({ tag: 'prod', status: 'running', search: 'rust' })).toBe(true)
  expect(meant({ tag: 'prod', status: 'stopped' })).toBe(false)
  expect(meant({ tag: 'prod', search: 'python' })).toBe(false)
})

test('a filter is active once something is searched or chosen', () => {
  expect(isActive(noFilter)).toBe(false)
  expect(isActive({ ...noFilter, search: ' ' })).toBe(false)
  expect(isActive({ ...noFilter, search: 'web' })).toBe(true)
  expect(isActive({ ...noFilter, status: 'failed' })).toBe(true)
  expect(isActive({ ...noFilter, tag: 'prod' })).toBe(true)
})

test('the tags to choose from are those of all VMs, and the chosen one', () => {
  const vms = [{ tags: ['web', 'prod'] }, { tags: [] }, { tags: ['prod', 'été'] }]
  expect(tagsOf(vms, '')).toEqual(['été', 'prod', 'web'])
  expect(tagsOf(vms, 'gone')).toEqual(['été', 'gone', 'prod', 'web'])
})
