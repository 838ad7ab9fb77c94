import { expect, it } from 'vitest'
import { endpoints, mayWhileFull } from './index.ts'

it('on a full disk people can get in, stop, cancel and delete, and make nothing', () => {
  const may = endpoints.filter((one) => one.method !== 'GET' && mayWhileFull(one)).map(({ id }) => id)
  expect(may).toEqual(
    expect.arrayContaining(['account.signIn', 'vm.stop', 'vm.delete', 'disk.detach', 'bin.empty']),
  )
  expect(
    may.filter((id) => /\.(create|start|restore|restart|fork|attach|update|set|signUp)$/.test(id)),
  ).toEqual([])
  for (const { id, method } of endpoints) if (method === 'DELETE') expect(may).toContain(id)
})

it('a batch may what the call may that it makes', () => {
  const batch = { id: 'batch.create', method: 'POST' } as const
  for (const action of ['vm.stop', 'vm.delete', 'disk.delete', 'vmPool.delete'])
    expect(mayWhileFull(batch, { action })).toBe(true)
  for (const body of [{ action: 'vm.start' }, { action: 'vmSnapshot.create' }, { action: 'no' }, {}, null])
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
})
