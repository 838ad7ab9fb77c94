/** Root disks of a size of their own for the members of pools and sets, through the real app. */
import {
  binApi,
  groupSnapshotTexts,
  keptRootDiskTooSmall,
  quotaApi,
  rollOutTexts,
  rootDiskTooSmall,
  templateApi,
  type VmPoolRollOut,
  vmChangeTexts,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const gib = 1024 ** 3
/** What the template of the desk has, and another one. */
const templateGb = 4
const otherTemplateGb = 20
const more = 30

const sizes = { min_size: 1, desired_size: 2, max_size: 5, auto_scaling: false, persistent: false }
const createPool = (desk: Desk, change: object = {}) =>
  desk.ada.call(vmPoolApi.create, {
    params: desk.params,
    body: { name: 'web', template_id: 'starter', ssh_key_id: desk.keyId, ...sizes, ...change },
  })
const poolOf = async (desk: Desk, poolId: string) =>
  (await desk.ada.call(vmPoolApi.get, { params: { ...desk.params, poolId } })).body
const scale = (desk: Desk, poolId: string, desired_size: number) =>
  desk.ada.call(vmPoolApi.update, { params: { ...desk.params, poolId }, body: { desired_size } })
const rollOut = (desk: Desk, poolId: string, body: VmPoolRollOut) =>
  desk.ada.call(vmPoolApi.rollOut, { params: { ...desk.params, poolId }, body })
/** A pool whose two VMs run. */
async function readyPool(desk: Desk, change: object = {}): Promise<string> {
  const { body } = await createPool(desk, change)
  await desk.pass(60_000)
  return body.id
}
const rootsOf = (group: { vms: { root_disk_gb: number | null }[] }) =>
  group.vms.map(({ root_disk_gb }) => root_disk_gb)
const used = async ({ ada, params }: Desk) =>
  (await ada.call(quotaApi.ofProject, { params })).body.project.disk_bytes.used / gib
const refused = (message: string) => ({ status: 400, body: { message, fields: { root_disk_gb: message } } })

describe('the root disks of the VMs of a pool or set', () => {
  it(
    '201 have the size that was asked for, also those that are created later',
    atDesk(async (desk) => {
      const creates = vi.spyOn(desk.app.engine, 'createMachine')
      const { status, body } = await createPool(desk, { root_disk_gb: more })
      expect({ status, body }).toMatchObject({ status: 201, body: { root_disk_gb: more } })
      await desk.pass(60_000)
      await scale(desk, body.id, 3)
      await desk.pass(60_000)
      expect(creates.mock.calls.map(([{ rootBytes }]) => rootBytes)).toEqual(Array(3).fill(more * gib))
      const pool = await poolOf(desk, body.id)
      expect(pool).toMatchObject({ status: 'active', root_disk_gb: more })
      expect(rootsOf(pool)).toEqual([more, more, more])
      const set = { name: 'trio', template_id: 'starter', ssh_key_id: desk.keyId, replicas: 1 }
      const made = await desk.ada.call(vmSetApi.create, {
        params: desk.params,
        body: { ...set, root_disk_gb: more },
      })
      expect(made.body).toMatchObject({ root_disk_gb: more })
      await desk.pass()
      const params = { ...desk.params, setId: made.body.id }
      expect(rootsOf((await desk.ada.call(vmSetApi.get, { params })).body)).toEqual([more])
    }),
  )

  it(
    '201 without a size, with null or with that of the template are as the template has them',
    atDesk(async (desk) => {
      for (const size of [{}, { root_disk_gb: null }, { root_disk_gb: templateGb }]) {
        const id = await readyPool(desk, size)
        const pool = await poolOf(desk, id)
        expect(pool).toMatchObject({ status: 'active', root_disk_gb: null })
        expect(rootsOf(pool)).toEqual([null, null])
      }
      expect(await used(desk)).toBe(0)
    }),
  )

  it(
    '400 names the field and what it can be',
    atDesk(
      async (desk) => {
        for (const root_disk_gb of [0, 1.5, '30', 1e9])
          expect(await createPool(desk, { root_disk_gb })).toMatchObject(refused(vmChangeTexts.rootDisk))
        const smaller = await createPool(desk, { root_disk_gb: templateGb - 1 })
        expect(smaller).toMatchObject(refused(rootDiskTooSmall(templateGb)))
        const larger = await createPool(desk, { root_disk_gb: 101 })
        expect(larger).toMatchObject(refused('Disk size cannot exceed 100Gi'))
      },
      { maxDiskGb: 100 },
    ),
  )

  it(
    '201 where the engine cannot enlarge disks: they are created so large',
    atDesk(
      async (desk) => {
        expect(rootsOf(await poolOf(desk, await readyPool(desk, { root_disk_gb: more })))).toEqual([
          more,
          more,
        ])
      },
      { cannot: { ...noLimits, growDisks: clusterLimits.growDisks } },
    ),
  )

  it(
    'of those made of a snapshot are as large as that of its VM, and no other size can be asked for',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('db', { root_disk_gb: more })
      const ofSnapshot = { snapshot_id: await desk.readyVmSnapshot(vmId), persistent: true }
      const both = await createPool(desk, { ...ofSnapshot, root_disk_gb: more })
      expect(both).toMatchObject(refused(groupSnapshotTexts.rootDisk))
      const id = await readyPool(desk, ofSnapshot)
      expect(await poolOf(desk, id)).toMatchObject({ status: 'active', root_disk_gb: more })
      expect(rootsOf(await poolOf(desk, id))).toEqual([more, more])
      expect(await used(desk)).toBe(3 * more)
    }),
  )
})

describe('the quota of disk space', () => {
  it(
    'counts them from the moment the group is asked for, and while it scales, is in the bin and comes back',
    atDesk(
      async (desk) => {
        expect((await createPool(desk, { root_disk_gb: more, desired_size: 4 })).status).toBe(409)
        const { body: pool } = await createPool(desk, { root_disk_gb: more })
        expect(await used(desk)).toBe(2 * more)
        await desk.pass(60_000)
        expect(await used(desk)).toBe(2 * more)
        expect((await scale(desk, pool.id, 4)).status).toBe(409)
        expect((await scale(desk, pool.id, 3)).status).toBe(200)
        expect(await used(desk)).toBe(3 * more)
        await desk.pass(60_000)
        expect(await used(desk)).toBe(3 * more)
        await desk.ada.call(vmPoolApi.delete, { params: { ...desk.params, poolId: pool.id } })
        await desk.pass(60_000)
        expect(await used(desk)).toBe(0)
        const vmId = await desk.runningVm('other', { root_disk_gb: more })
        const back = () => desk.ada.call(binApi.restore, { params: { ...desk.params, itemId: pool.id } })
        expect((await back()).status).toBe(409)
        await desk.deleteVm(vmId)
        expect((await back()).status).toBe(200)
        expect(await used(desk)).toBe(3 * more)
      },
      { projectQuota: { disk_bytes: (3 * more + 5) * gib } },
    ),
  )

  it(
    'counts what a roll-out adds to each VM',
    atDesk(
      async (desk) => {
        const id = await readyPool(desk, { root_disk_gb: more })
        expect((await rollOut(desk, id, { root_disk_gb: more + 20 })).status).toBe(409)
        expect((await rollOut(desk, id, { root_disk_gb: more - 5 })).status).toBe(200)
        await desk.pass(240_000)
        expect(await used(desk)).toBe(2 * (more - 5))
      },
      { projectQuota: { disk_bytes: (2 * more + 35) * gib } },
    ),
  )
})

describe('rolling out another size of the root disk', () => {
  it(
    '200 replaces the VMs, also by such with a smaller one, and says so',
    atDesk(async (desk) => {
      const id = await readyPool(desk, { root_disk_gb: more })
      const vms = (await poolOf(desk, id)).vms.map((vm) => vm.id)
      const answer = await rollOut(desk, id, { root_disk_gb: more - 10 })
      expect(answer).toMatchObject({
        status: 200,
        body: { root_disk_gb: more - 10, roll_out: { revision: 2, state: 'running', renewed_vms: 0 } },
      })
      await desk.pass(240_000)
      const rolled = await poolOf(desk, id)
      expect(rolled).toMatchObject({ status: 'active', roll_out: { state: 'none', renewed_vms: 2 } })
      expect(rootsOf(rolled)).toEqual([more - 10, more - 10])
      expect(rolled.vms.some((vm) => vms.includes(vm.id))).toBe(false)
      const { body: history } = await desk.ada.call(vmPoolApi.history, {
        params: { ...desk.params, poolId: id },
      })
      expect(history.events.map(({ message }) => message)).toContain(
        'By Ada Lovelace: root disk 30Gi to 20Gi',
      )
      expect((await rollOut(desk, id, { root_disk_gb: templateGb })).body.root_disk_gb).toBeNull()
      await desk.pass(240_000)
      expect(rootsOf(await poolOf(desk, id))).toEqual([null, null])
    }),
  )

  it(
    'null and nothing leave it as it is, and VMs that have the size are not replaced',
    atDesk(async (desk) => {
      const id = await readyPool(desk, { root_disk_gb: more })
      const { vms } = await poolOf(desk, id)
      for (const root_disk_gb of [null, undefined, more])
        expect(await rollOut(desk, id, { root_disk_gb })).toMatchObject({
          status: 409,
          body: { message: rollOutTexts.nothing },
        })
      desk.app.engine.setImage({ state: 'unavailable', reason: 'It is being repaired.' })
      await rollOut(desk, id, { root_disk_gb: more + 10 })
      await desk.pass(60_000)
      desk.app.engine.setImage({ state: 'ready' })
      expect((await rollOut(desk, id, { root_disk_gb: more })).body.roll_out).toMatchObject({
        renewed_vms: 2,
      })
      await desk.pass(240_000)
      const back = await poolOf(desk, id)
      expect(back).toMatchObject({ status: 'active', root_disk_gb: more, roll_out: { state: 'none' } })
      expect(back.vms.map((vm) => vm.id)).toEqual(vms.map((vm) => vm.id))
    }),
  )

  it(
    '400 for less than the template needs, also where only that is another one',
    atDesk(
      async (desk) => {
        const id = await readyPool(desk, { root_disk_gb: 10 })
        const before = await poolOf(desk, id)
        const { body: templates } = await desk.ada.call(templateApi.list)
        const template_id = templates.find((one) => one.id !== 'starter')?.id ?? ''
        const least = refused(rootDiskTooSmall(otherTemplateGb))
        expect(await rollOut(desk, id, { root_disk_gb: templateGb - 1 })).toMatchObject(
          refused(rootDiskTooSmall(templateGb)),
        )
        expect(await rollOut(desk, id, { root_disk_gb: 101 })).toMatchObject(
          refused('Disk size cannot exceed 100Gi'),
        )
        expect(await rollOut(desk, id, { root_disk_gb: 0 })).toMatchObject(refused(vmChangeTexts.rootDisk))
        expect(await rollOut(desk, id, { template_id, root_disk_gb: otherTemplateGb - 1 })).toMatchObject(
          least,
        )
        expect(await rollOut(desk, id, { template_id })).toMatchObject(
          refused(keptRootDiskTooSmall(otherTemplateGb)),
        )
        expect(await poolOf(desk, id)).toEqual(before)
        const taken = await rollOut(desk, id, { template_id, root_disk_gb: otherTemplateGb })
        expect(taken).toMatchObject({ status: 200, body: { template_id, root_disk_gb: null } })
      },
      { maxDiskGb: 100 },
    ),
  )
})
