/** VMs of pools and sets that are protected against deletion, through the real app. */
import { vmApi, vmPoolApi, vmPoolTexts, vmSetApi, vmSetTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

const kinds = [
  {
    kind: 'pool',
    texts: vmPoolTexts,
    create: async ({ ada, params, keyId }: Desk) => {
      const body = { name: 'web', template_id: 'starter', ssh_key_id: keyId, desired_size: 2 }
      return (await ada.call(vmPoolApi.create, { params, body })).body.id
    },
    read: async ({ ada, params }: Desk, poolId: string) =>
      (await ada.call(vmPoolApi.get, { params: { ...params, poolId } })).body.vms,
    remove: ({ ada, params }: Desk, poolId: string) =>
      ada.call(vmPoolApi.delete, { params: { ...params, poolId } }),
  },
  {
    kind: 'set',
    texts: vmSetTexts,
    create: async ({ ada, params, keyId }: Desk) => {
      const body = { name: 'web', template_id: 'starter', ssh_key_id: keyId, replicas: 2 }
      return (await ada.call(vmSetApi.create, { params, body })).body.id
    },
    read: async ({ ada, params }: Desk, setId: string) =>
      (await ada.call(vmSetApi.get, { params: { ...params, setId } })).body.vms,
    remove: ({ ada, params }: Desk, setId: string) =>
      ada.call(vmSetApi.delete, { params: { ...params, setId } }),
  },
]

describe.each([
  ['to the bin', {}],
  ['for good', withoutBin],
])('deleted %s', (_, options) => {
  it.each(kinds)(
    'a $kind is not while one of its VMs is protected, and nothing changes',
    async ({ texts, create, read, remove }) => {
      await atDesk(async (desk) => {
        const id = await create(desk)
        await desk.pass()
        const [first] = await read(desk, id)
        const params = { ...desk.params, vmId: first?.id ?? '' }
        await desk.ada.call(vmApi.update, { params, body: { delete_protection: true } })
        expect(await remove(desk, id)).toMatchObject({ status: 409, body: { message: texts.hasProtected } })
        await desk.pass()
        expect((await read(desk, id)).map(({ status }) => status)).toEqual(['running', 'running'])
        await desk.ada.call(vmApi.update, { params, body: { delete_protection: false } })
        expect((await remove(desk, id)).status).toBe(204)
      }, options)()
    },
  )
})
