/** What the tests of pools and sets stand on: a desk of the test with the calls of both. */
import { binApi, type VmPoolCreate, type VmSetCreate, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import type { TestAppOptions } from './app.test-kit.ts'
import { deskWith } from './desk.test-kit.ts'

export type GroupDesk = Awaited<ReturnType<typeof groupDesk>>

export async function groupDesk(options: TestAppOptions = {}) {
  const desk = await deskWith(options)
  const { ada, params, at, keyId, pass } = desk
  /** What every group needs. */
  const fields = { name: 'web', template_id: 'starter', ssh_key_id: keyId }

  const pools = {
    create: (change: Partial<VmPoolCreate> | object = {}) =>
      ada.call(vmPoolApi.create, { params, body: { ...fields, ...change } }),
    get: async (id: string) => (await ada.call(vmPoolApi.get, at('poolId', id))).body,
    list: async () => (await ada.call(vmPoolApi.list, { params })).body,
    history: async (id: string) => (await ada.call(vmPoolApi.history, at('poolId', id))).body,
    /** One whose VMs run. */
    async made(change: Partial<VmPoolCreate> | object = {}) {
      const { body } = await pools.create(change)
      await pass(60_000)
      return pools.get(body.id)
    },
    update: (id: string, body: object) => ada.call(vmPoolApi.update, { ...at('poolId', id), body }),
    resize: (id: string, desired_size: number) => pools.update(id, { desired_size }),
    rollOut: (id: string, body: object) => ada.call(vmPoolApi.rollOut, { ...at('poolId', id), body }),
    resume: (id: string) => ada.call(vmPoolApi.continueRollOut, at('poolId', id)),
    stop: (id: string) => ada.call(vmPoolApi.stopRollOut, at('poolId', id)),
    remove: (id: string, forGood = false) =>
      ada.raw('DELETE', `/api/projects/${params.projectId}/vmpools/${id}?for_good=${forGood}`),
  }
  const sets = {
    create: (change: Partial<VmSetCreate> | object = {}) =>
      ada.call(vmSetApi.create, { params, body: { ...fields, ...change } }),
    get: async (id: string) => (await ada.call(vmSetApi.get, at('setId', id))).body,
    list: async () => (await ada.call(vmSetApi.list, { params })).body,
    history: async (id: string) => (await ada.call(vmSetApi.history, at('setId', id))).body,
    /** One whose VMs run. */
    async made(change: Partial<VmSetCreate> | object = {}) {
      const { body } = await sets.create(change)
      await pass(60_000)
      return sets.get(body.id)
    },
    update: (id: string, body: object) => ada.call(vmSetApi.update, { ...at('setId', id), body }),
    resize: (id: string, replicas: number) => sets.update(id, { replicas }),
    rollOut: (id: string, body: object) => ada.call(vmSetApi.rollOut, { ...at('setId', id), body }),
    resume: (id: string) => ada.call(vmSetApi.continueRollOut, at('setId', id)),
    stop: (id: string) => ada.call(vmSetApi.stopRollOut, at('setId', id)),
    remove: (id: string, forGood = false) =>
      ada.raw('DELETE', `/api/projects/${params.projectId}/vmsets/${id}?for_good=${forGood}`),
  }
  /** The image of all templates cannot be had until this is undone. */
  function withoutImage(): () => void {
    desk.app.engine.setImage({ state: 'unavailable', reason: 'It is being repaired.' })
    return () => desk.app.engine.setImage({ state: 'ready' })
  }
  const restoreItem = (itemId: string) => ada.call(binApi.restore, at('itemId', itemId))
  const protect = (vmId: string, on: boolean) =>
    ada.call(vmApi.update, { ...at('vmId', vmId), body: { delete_protection: on } })

  return { ...desk, fields, pools, sets, restoreItem, protect, withoutImage }
}
