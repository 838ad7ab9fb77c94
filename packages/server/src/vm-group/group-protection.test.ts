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
      (await ada.call(vmPoolApi.get, { params: { ...params, poolId } })).body,
    resize: ({ ada, params }: Desk, poolId: string, desired_size: number) =>
      ada.call(vmPoolApi.update, { params: { ...params, poolId }, body: { desired_size } }),
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
      (await ada.call(vmSetApi.get, { params: { ...params, setId } })).body,
    resize: ({ ada, params }: Desk, setId: string, replicas: number) =>
      ada.call(vmSetApi.update, { params: { ...params, setId }, body: { replicas } }),
    remove: ({ ada, params }: Desk, setId: string) =>
      ada.call(vmSetApi.delete, { params: { ...params, setId } }),
  },
]

const protect = ({ ada, params }: Desk, vm: { id: string } | undefined, on: boolean) =>
  ada.call(vmApi.update, { params: { ...params, vmId: vm?.id ?? '' }, body: { delete_protection: on } })

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
        const [first] = (await read(desk, id)).vms
        await protect(desk, first, true)
        expect(await remove(desk, id)).toMatchObject({ status: 409, body: { message: texts.hasProtected } })
        await desk.pass()
        expect((await read(desk, id)).vms.map(({ status }) => status)).toEqual(['running', 'running'])
        await protect(desk, first, false)
        expect((await remove(desk, id)).status).toBe(204)
      }, options)()
    },
  )
})

describe('made smaller', () => {
  it.each(kinds)(
    'a $kind keeps its protected VMs, says why it is larger, and lets one go as soon as it may',
    async ({ create, read, resize }) => {
      await atDesk(async (desk) => {
        const id = await create(desk)
        await desk.pass()
        const [first, second] = (await read(desk, id)).vms
        for (const vm of [first, second]) await protect(desk, vm, true)
        expect((await resize(desk, id, 1)).status).toBe(200)
        await desk.pass()
        expect(await read(desk, id)).toMatchObject({
          status: 'error',
          status_message:
            '"web-1" is protected against deletion. Turn its protection off. Or choose a size of 2.',
          vms: [{ status: 'running' }, { status: 'running' }],
        })
        await protect(desk, first, false)
        await desk.pass()
        expect(await read(desk, id)).toMatchObject({ status_message: null, vms: [{ id: second?.id }] })
      })()
    },
  )

  it.each(kinds)(
    'a $kind keeps a VM that is protected while it shuts down',
    async ({ create, read, resize }) => {
      await atDesk(async (desk) => {
        const id = await create(desk)
        await desk.pass()
        const [, second] = (await read(desk, id)).vms
        await resize(desk, id, 1)
        await desk.pass(1)
        expect((await read(desk, id)).vms).toMatchObject([{ status: 'running' }, { status: 'stopping' }])
        await protect(desk, second, true)
        await desk.pass()
        await desk.pass()
        expect((await read(desk, id)).vms).toMatchObject([{ id: second?.id, status: 'running' }])
      })()
    },
  )
})
