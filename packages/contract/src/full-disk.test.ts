import { expect, it } from 'vitest'
import { endpoints, mayWhileFull } from './index.ts'

it('on a full disk people can get in, stop, cancel and delete, and make nothing', () => {
  const may = endpoints.filter((one) => one.method !== 'GET' && mayWhileFull(one))
  const without = may.filter(({ method }) => method !== 'DELETE').map(({ id }) => id)
  expect(without.sort()).toEqual([
    'account.beginPasskey',
    'account.signIn',
    'account.signInWithCode',
    'account.signInWithPasskey',
    'account.signOut',
    'adminAccount.disable',
    'batch.cancel',
    'bin.preview',
    'disk.detach',
    'oidc.begin',
    'operation.cancel',
    'operation.cancelAny',
    'proof.beginPasskey',
    'proof.give',
    'vm.stop',
    'vmPool.stopRollOut',
    'vmSet.stopRollOut',
  ])
  for (const { id, method } of endpoints)
    if (method === 'DELETE') expect(may.map((one) => one.id)).toContain(id)
})

it('a batch may what the call may that it makes', () => {
  const batch = { id: 'batch.create', method: 'POST' } as const
  for (const action of ['vm.stop', 'vm.delete', 'disk.delete', 'vmPool.delete'])
    expect(mayWhileFull(batch, { action })).toBe(true)
  for (const body of [
    { action: 'vm.start' },
    { action: 'vmSnapshot.create' },
    { action: 'no' },
    { action: ['vm.delete'] },
    { action: 'toString' },
    {},
    null,
  ])
    expect(mayWhileFull(batch, body)).toBe(false)
})

it('the protection against deletion can be turned off, and nothing else of a VM be changed', () => {
  const update = { id: 'vm.update', method: 'PUT' } as const
  expect(mayWhileFull(update, { delete_protection: false })).toBe(true)
  for (const body of [
    { delete_protection: true },
    { delete_protection: false, name: 'n' },
    { name: 'n' },
    {},
    null,
  ])
    expect(mayWhileFull(update, body)).toBe(false)
  const create = { id: 'vm.create', method: 'POST' } as const
  expect(mayWhileFull(create, { delete_protection: false })).toBe(false)
})
