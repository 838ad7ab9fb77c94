import type { Vm, VmPool } from '@slipway/contract'
import { afterEach, expect, test } from 'vitest'
import { bringIn } from './live-events.ts'
import type { Said } from './order.ts'
import { keyOf, queryClient } from './query.ts'
import './vm-pools.ts'
import { patchVms } from './vms.ts'

const pool = { id: 'web', project_id: 'p', status: 'active', desired_size: 1 } as VmPool // what is looked at here
const vm = (id: string, vmpool_id: string | null, status: Vm['status'] = 'running') =>
  ({ id, project_id: 'p', status, vmpool_id, vmset_id: null, ssh_key_name: 'Laptop' }) as Vm // as above

const bringPools = (all: readonly Said<VmPool>[]) => bringIn('vm_pool', 'p', all as readonly Said<never>[]) // of that kind

const gone = (id: string) => ({ id, project_id: 'p', deleted: true }) as const
let revision = 0
/** What an event says. */
const now = <T>(object: T) => ({ object, at: { epoch: 'e', number: ++revision } })

const key = keyOf('vmPool.get', { projectId: 'p', groupId: 'web' })
const shown = () => {
  const page = queryClient.getQueryData<VmPool & { vms: Vm[] }>(key)
  return page && [page.status, page.desired_size, page.vms.map(({ id, status }) => `${id} ${status}`)]
}

afterEach(() => queryClient.clear())

test('the page of a pool follows its pool and keeps its VMs', () => {
  queryClient.setQueryData(key, { ...pool, vms: [vm('a', 'web')] })
  bringPools([now({ ...pool, status: 'scaling', desired_size: 2 })])
  expect(shown()).toEqual(['scaling', 2, ['a running']])
})

test('the page of a pool follows its VMs and no others', () => {
  queryClient.setQueryData(key, { ...pool, vms: [vm('a', 'web'), vm('b', 'web')] })
  const before = queryClient.getQueryData(key)
  patchVms('p', [now(vm('c', null)), now(vm('d', 'ci')), now(gone('e'))])
  patchVms('other', [now(vm('f', 'web'))])
  expect(queryClient.getQueryData(key)).toBe(before)
  patchVms('p', [now(vm('a', 'web', 'stopping')), now(gone('b')), now(vm('g', 'web', 'pending'))])
  expect(shown()).toEqual(['active', 1, ['a stopping', 'g pending']])
})

test('what nobody looks at is not made up from events', () => {
  bringPools([now(pool)])
  patchVms('p', [now(vm('a', 'web'))])
  expect(shown()).toBeUndefined()
})
