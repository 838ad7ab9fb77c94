import { expect, it } from 'vitest'
import { cell, shown } from './table.ts'

it('lines up the columns chosen for a kind', () => {
  const rows = [
    { id: '1', project_id: 'p', name: 'web', status: 'running', cpu: 1, ip_address: null },
    { id: '2', project_id: 'p', name: 'database', status: 'stopped', cpu: 2, ip_address: '10.0.0.2' },
  ]
  expect(shown(rows, 'vm')).toBe(
    [
      'NAME      STATUS   CPU  IP ADDRESS  ID',
      'web       running  1    -           1',
      'database  stopped  2    10.0.0.2    2',
    ].join('\n'),
  )
})

it('takes the plain fields of other kinds, the id last', () => {
  expect(shown([{ id: '1', port: 80, vm: { name: 'web' }, open: true }], 'unheard-of')).toBe(
    'PORT  OPEN  ID\n80    yes   1',
  )
})

it('shows one object by its fields, lists and records in it as tables', () => {
  expect(shown({ name: 'pool', size: 2, vms: [{ id: '1', name: 'a', status: 'running' }] }, 'vm-pool')).toBe(
    'name  pool\nsize  2\n\nVMS\n  NAME  STATUS   ID\n  a     running  1',
  )
  expect(shown({ project: { vms: { used: 1, limit: null }, shares: { used: 0, limit: 5 } } }, 'quota')).toBe(
    'PROJECT\n  NAME    USED  LIMIT\n  vms     1     -\n  shares  0     5',
  )
})

it('shows an object that was changed as a row', () => {
  expect(shown({ id: '1', name: 'web', status: 'starting', steps: [] }, 'vm', true)).toBe(
    'NAME  STATUS    ID\nweb   starting  1',
  )
})

it('says that a list is empty', () => {
  expect(shown([], 'vm')).toBe('None.')
})

it('keeps each value on its line, and control characters away from the terminal', () => {
  expect(cell('a\u001b[31mb\nc\u009bd')).toBe('a [31mb c d')
  expect(cell('2026-11-26T15:04:22.448Z')).toBe('2026-11-26 15:04')
  expect(cell([{ name: 'a' }, { name: 'b' }])).toBe('a, b')
  expect(cell({ host: null, port: 2022 })).toBe('host=- port=2022')
  expect(cell(0.126)).toBe('0.13')
})
