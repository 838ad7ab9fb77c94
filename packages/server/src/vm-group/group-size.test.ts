/** Processors and memory that pools and sets are created with, through the real app. */
import {
  binApi,
  groupSnapshotTexts,
  quotaApi,
  rollOutTexts,
  templateApi,
  vmApi,
  vmChangeTexts,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { atDesk, type Desk } from '../desk.test-kit.ts'

const large = { cpu: 6, memory_mb: 3072 }
const sizes = { min_size: 1, desired_size: 2, max_size: 5, auto_scaling: false, persistent: false }

const bodyOf = (desk: Desk, name: string, change: object) => ({
  name,
  template_id: 'starter',
  ssh_key_id: desk.keyId,
  ...change,
})
const createPool = (desk: Desk, change: object = {}) =>
  desk.ada.call(vmPoolApi.create, {
    params: desk.params,
    body: bodyOf(desk, 'web', { ...sizes, ...change }),
  })
const createSet = (desk: Desk, change: object = {}) =>
  desk.ada.call(vmSetApi.create, {
    params: desk.params,
    body: bodyOf(desk, 'trio', { replicas: 1, ...change }),
  })
const poolOf = async (desk: Desk, poolId: string) =>
  (await desk.ada.call(vmPoolApi.get, { params: { ...desk.params, poolId } })).body
const setOf = async (desk: Desk, setId: string) =>
  (await desk.ada.call(vmSetApi.get, { params: { ...desk.params, setId } })).body
const scale = (desk: Desk, poolId: string, desired_size: number) =>
  desk.ada.call(vmPoolApi.update, { params: { ...desk.params, poolId }, body: { desired_size } })
const sizesOf = (group: { vms: { cpu: number; memory_mb: number }[] }) =>
  group.vms.map(({ cpu, memory_mb }) => ({ cpu, memory_mb }))
const sizeOfTemplate = async (desk: Desk) => {
  const template = (await desk.ada.call(templateApi.list)).body.find(({ id }) => id === 'starter')
  return { cpu: template?.default_cpu ?? 0, memory_mb: template?.default_memory_mb ?? 0 }
}
const used = async ({ ada, params }: Desk) => {
  const { processors, memory_mb } = (await ada.call(quotaApi.ofProject, { params })).body.project
  return { processors: processors.used, memory_mb: memory_mb.used }
}
const taken = (count: number, { cpu, memory_mb } = large) => ({
  processors: count * cpu,
  memory_mb: count * memory_mb,
})
const refused = (field: string, message: string) => ({
  status: 400,
  body: { message, fields: { [field]: message } },
})

describe('the processors and the memory of the VMs of a pool or set', () => {
  it(
    '201 are what was asked for, also those of VMs that are created later and of replacements',
    atDesk(async (desk) => {
      const creates = vi.spyOn(desk.app.engine, 'createMachine')
      const { status, body } = await createPool(desk, large)
      expect({ status, body }).toMatchObject({ status: 201, body: large })
      await desk.pass(60_000)
      await scale(desk, body.id, 3)
      await desk.pass(60_000)
      const [first] = (await poolOf(desk, body.id)).vms
      await desk.deleteVm(first?.id ?? '')
      await desk.pass(60_000)
      expect(creates.mock.calls.map(([{ cpu, memoryMb }]) => ({ cpu, memory_mb: memoryMb }))).toEqual(
        Array(4).fill(large),
      )
      const pool = await poolOf(desk, body.id)
      expect(pool).toMatchObject({ status: 'active', ...large })
      expect(sizesOf(pool)).toEqual([large, large, large])
      const set = await createSet(desk, large)
      expect(set).toMatchObject({ status: 201, body: large })
      await desk.pass()
      expect(sizesOf(await setOf(desk, set.body.id))).toEqual([large])
    }),
  )

  it(
    '201 are those of the template, each on its own, where they are left out',
    atDesk(async (desk) => {
      const ofTemplate = await sizeOfTemplate(desk)
      for (const size of [{}, { cpu: large.cpu }, { memory_mb: large.memory_mb }]) {
        const { body } = await createSet(desk, size)
        await desk.pass(60_000)
        const set = await setOf(desk, body.id)
        expect(set).toMatchObject({ status: 'active', ...ofTemplate, ...size })
        expect(sizesOf(set)).toEqual([{ ...ofTemplate, ...size }])
      }
    }),
  )

  it(
    '400 names the field and what it can be',
    atDesk(async (desk) => {
      for (const create of [createPool, createSet]) {
        for (const cpu of [0, 1.5, 65, '2', null])
          expect(await create(desk, { cpu })).toMatchObject(refused('cpu', vmChangeTexts.cpu))
        for (const memory_mb of [127, 512.5, 262_145, '512', null])
          expect(await create(desk, { memory_mb })).toMatchObject(refused('memory_mb', vmChangeTexts.memory))
      }
      expect((await desk.ada.call(vmPoolApi.list, { params: desk.params })).body).toEqual([])
    }),
  )

  it(
    'of those made of a snapshot are those of its VM, and no others can be asked for',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('db', large)
      const snapshot_id = await desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
      for (const [field, value] of Object.entries(large))
        for (const create of [createPool, createSet])
          expect(await create(desk, { snapshot_id, persistent: true, [field]: value })).toMatchObject(
            refused(field, groupSnapshotTexts.machineSize),
          )
      const { body } = await createSet(desk, { snapshot_id })
      expect(body).toMatchObject(large)
      await desk.pass(60_000)
      expect(sizesOf(await setOf(desk, body.id))).toEqual([large])
    }),
  )

  it(
    'count as they are for a roll-out: it replaces nothing for what the VMs have, and can go back to the template',
    atDesk(async (desk) => {
      const { body: pool } = await createPool(desk, large)
      await desk.pass(60_000)
      const params = { ...desk.params, poolId: pool.id }
      expect(await desk.ada.call(vmPoolApi.rollOut, { params, body: large })).toMatchObject({
        status: 409,
        body: { message: rollOutTexts.nothing },
      })
      const ofTemplate = await sizeOfTemplate(desk)
      expect((await desk.ada.call(vmPoolApi.rollOut, { params, body: ofTemplate })).status).toBe(200)
      await desk.pass(240_000)
      const rolled = await poolOf(desk, pool.id)
      expect(rolled).toMatchObject({ status: 'active', ...ofTemplate, roll_out: { state: 'none' } })
      expect(sizesOf(rolled)).toEqual([ofTemplate, ofTemplate])
    }),
  )
})

describe('the quota of processors and memory', () => {
  it.each([
    ['processors', taken(3).processors],
    ['memory_mb', taken(3).memory_mb],
  ] as const)(
    'of %s counts them for each VM before any is created, and while the group scales, is in the bin and comes back',
    (field, limit) =>
      atDesk(
        async (desk) => {
          const over = await createPool(desk, { ...large, desired_size: 4 })
          expect(over.status).toBe(409)
          expect((await desk.ada.call(vmApi.list, { params: desk.params })).body).toEqual([])
          expect(await used(desk)).toEqual(taken(0))
          expect((await createSet(desk, { ...large, replicas: 4 })).status).toBe(409)
          const { body: pool } = await createPool(desk, large)
          expect(await used(desk)).toEqual(taken(2))
          await desk.pass(60_000)
          expect(await used(desk)).toEqual(taken(2))
          expect((await scale(desk, pool.id, 4)).status).toBe(409)
          expect((await scale(desk, pool.id, 3)).status).toBe(200)
          expect(await used(desk)).toEqual(taken(3))
          await desk.pass(60_000)
          expect(await used(desk)).toEqual(taken(3))
          await desk.ada.call(vmPoolApi.delete, { params: { ...desk.params, poolId: pool.id } })
          await desk.pass(60_000)
          expect(await used(desk)).toEqual(taken(0))
          const vmId = await desk.runningVm('other', large)
          const back = () => desk.ada.call(binApi.restore, { params: { ...desk.params, itemId: pool.id } })
          expect((await back()).status).toBe(409)
          await desk.deleteVm(vmId)
          expect((await back()).status).toBe(200)
          expect(await used(desk)).toEqual(taken(3))
        },
        { projectQuota: { [field]: limit } },
      )(),
  )
})
