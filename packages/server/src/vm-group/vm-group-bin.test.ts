import {
  binApi,
  binTexts,
  type Disk,
  diskApi,
  messages,
  shareApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { noLimits } from '../engine/limits.ts'

const day = 24 * 60 * 60_000

function groupsAt(desk: Desk) {
  const { ada, params, keyId, app } = desk
  const wish = { template_id: 'starter', ssh_key_id: keyId, name: 'web' }
  const at = (itemId: string) => ({ params: { ...params, itemId } })
  return {
    /** Ready, with a disk for each member. */
    async pool(size = 3, more: object = {}): Promise<string> {
      const sizes = { min_size: 1, desired_size: size, max_size: 5, auto_scaling: false }
      const body = { ...wish, ...sizes, disks: [{ name: 'data', size: '1Gi' }], ...more }
      const { body: pool } = await ada.call(vmPoolApi.create, { params, body })
      await desk.pass(60_000)
      return pool.id
    },
    /** The statuses of its members, in order. */
    statuses: async (poolId: string) => {
      const { body } = await ada.call(vmPoolApi.get, { params: { ...params, poolId } })
      return body.vms.map(({ status }) => status).sort()
    },
    get: async (poolId: string) => (await ada.call(vmPoolApi.get, { params: { ...params, poolId } })).body,
    put: (poolId: string, forGood = false) =>
      ada.raw('DELETE', `/api/projects/${params.projectId}/vmpools/${poolId}?for_good=${forGood}`),
    bin: async () => (await ada.call(binApi.list, { params })).body,
    restore: (id: string, by: Pick<Desk['ada'], 'call'> = ada) => by.call(binApi.restore, at(id)),
    drop: (id: string) => ada.call(binApi.delete, at(id)),
    vms: async () => (await ada.call(vmApi.list, { params })).body,
    powers: async () => {
      const ids = [...(await app.engine.list()).keys()].sort()
      return Promise.all(ids.map(async (id) => (await app.engine.inspect(id)).power))
    },
    async isAllGone() {
      expect([...(await app.engine.list()).keys()]).toEqual([])
      expect(await app.engine.listVolumes()).toEqual([])
      for (const table of ['vm', 'disk', 'vm_group', 'bin'] as const)
        expect(await app.db.selectFrom(table).selectAll().execute(), table).toEqual([])
    },
  }
}

const atGroups = (
  test: (desk: Desk, groups: ReturnType<typeof groupsAt>) => Promise<void>,
  options?: Parameters<typeof atDesk>[1],
) => atDesk((desk) => test(desk, groupsAt(desk)), options)

const facts = (pool: Awaited<ReturnType<ReturnType<typeof groupsAt>['get']>>) => ({
  ...{ id: pool.id, name: pool.name, desired: pool.desired_size, max: pool.max_size, status: pool.status },
  vms: pool.vms
    .map(({ id, name, status, disks }) => ({ id, name, status, disks: disks.map((disk) => disk.disk_id) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1)),
})

describe('a pool in the bin', () => {
  it(
    'rests with its members, and comes back whole under the ids it had',
    atGroups(async (desk, groups) => {
      const id = await groups.pool()
      const { vms } = await groups.get(id)
      await desk.act('stop', vms[2]?.id ?? '')
      await desk.pass()
      const before = facts(await groups.get(id))
      desk.app.engine.poke({ volumeId: before.vms[0]?.disks[0] ?? '' }, 'kept')
      const runs = await desk.app.engine.inspect(before.vms[0]?.id ?? '')
      expect((await groups.put(id)).status).toBe(204)
      expect((await groups.get(id)) as unknown).toMatchObject({ message: messages.vmPoolNotFound })
      expect(await groups.vms()).toEqual([])
      expect((await desk.ada.call(diskApi.list, { params: desk.params })).body).toEqual([])
      await desk.pass(60_000)
      const stopped = before.vms.filter(({ status }) => status === 'stopped').length
      expect((await groups.powers()).filter((power) => power === 'suspended')).toHaveLength(3 - stopped)
      expect(await groups.bin()).toMatchObject([
        {
          ...{ id, kind: 'vm_pool', name: 'web', attached_disks: 0, ended_shares: 0, has_memory: null },
          vms: before.vms.map(({ id, name }) => ({ id, name })),
          disks: [{}, {}, {}],
          bytes: 3 * 1024 ** 3,
        },
      ])
      // Nothing heals or scales meanwhile.
      await desk.pass(60 * 60_000)
      expect(await groups.powers()).not.toContain('ready')

      expect(await groups.restore(id)).toMatchObject({
        status: 200,
        body: { id, kind: 'vm_pool', name: 'web', notes: [] },
      })
      await desk.pass(60_000)
      expect(facts(await groups.get(id))).toEqual(before)
      expect(desk.app.engine.peek({ volumeId: before.vms[0]?.disks[0] ?? '' })).toBe('kept')
      expect(await desk.app.engine.inspect(before.vms[0]?.id ?? '')).toMatchObject({ power: runs.power })
      expect(await groups.bin()).toEqual([])
    }),
  )

  it(
    'goes on running when it is restored at once, and heals and scales again',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      const before = facts(await groups.get(id))
      await groups.put(id)
      expect((await groups.restore(id)).status).toBe(200)
      await desk.pass()
      expect(facts(await groups.get(id))).toEqual(before)
      await desk.ada.call(vmPoolApi.update, {
        params: { ...desk.params, poolId: id },
        body: { desired_size: 3 },
      })
      await desk.pass(60_000)
      expect((await groups.get(id)).vms).toHaveLength(3)
    }),
  )

  it(
    'takes members along that are on their way up only once they were ready, and creates the others anew',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(1)
      await desk.ada.call(vmPoolApi.update, {
        params: { ...desk.params, poolId: id },
        body: { desired_size: 3 },
      })
      await desk.pass(1_000)
      await groups.put(id)
      const [item] = await groups.bin()
      expect(item?.vms).toHaveLength(1)
      await desk.pass(60_000)
      expect(await groups.powers()).toEqual(['suspended'])
      await groups.restore(id)
      await desk.pass(120_000)
      expect(await groups.statuses(id)).toEqual(['running', 'running', 'running'])
    }),
  )

  it(
    'lets a member arrive that is starting, before it rests, and starts none that waited',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      const [one, two] = (await groups.get(id)).vms
      for (const vm of [one, two]) await desk.act('stop', vm?.id ?? '')
      await desk.pass()
      await desk.act('start', one?.id ?? '')
      await desk.pass(10)
      await desk.act('start', two?.id ?? '')
      await groups.put(id)
      await desk.pass(120_000)
      expect(await groups.powers()).not.toContain('ready')
      await groups.restore(id)
      await desk.pass(120_000)
      expect(await groups.statuses(id)).toEqual(['running', 'running'])
    }),
  )

  it(
    'leaves members in the bin that were deleted before, and free disks that were attached',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      const [gone, stays] = (await groups.get(id)).vms
      await desk.deleteVm(gone?.id ?? '')
      await desk.pass(60_000)
      const loose = await desk.readyDisk({ name: 'loose' })
      await desk.attach(loose, stays?.id)
      await desk.ada.call(shareApi.create, {
        params: { ...desk.params, vmId: stays?.id ?? '' },
        body: { port: 3000 },
      })
      await desk.pass()
      await groups.put(id)
      expect(await groups.bin()).toMatchObject([
        { id, attached_disks: 1, ended_shares: 1, vms: [{}, {}], disks: [{}, {}] },
        { id: gone?.id, kind: 'vm', disks: [{}] },
      ])
      expect(await desk.disk(loose)).toMatchObject({ status: 'available', vm_id: null })
      await desk.pass()
      // Others may write to that disk now: its guest keeps no memory.
      expect((await desk.app.engine.inspect(stays?.id ?? '')).power).toBe('off')
      expect((await groups.restore(id)).body.notes).toEqual([
        binTexts.membersDisksFree,
        binTexts.membersSharesEnded,
      ])
      await desk.pass(60_000)
      expect(await groups.statuses(id)).toEqual(['running', 'running'])
      expect((await groups.restore(gone?.id ?? '')).status).toBe(200)
      await desk.pass(60_000)
      expect(await groups.vms()).toHaveLength(3)
    }),
  )

  it(
    'is shut down where the engine cannot suspend, and boots again',
    atGroups(
      async (desk, groups) => {
        const id = await groups.pool(2)
        await groups.put(id)
        await desk.pass(60_000)
        expect(await groups.powers()).toEqual(['off', 'off'])
        await groups.restore(id)
        await desk.pass(60_000)
        expect(await groups.statuses(id)).toEqual(['running', 'running'])
      },
      { cannot: { ...noLimits, suspend: 'This engine cannot suspend' } },
    ),
  )

  it(
    'frees its name and its quota at once, and needs both to come back',
    atGroups(
      async (desk, groups) => {
        const id = await groups.pool(2)
        await groups.put(id)
        const other = await groups.pool(2)
        const full = await groups.restore(id)
        expect(full.status).toBe(409)
        expect((await groups.bin()).map((item) => item.id)).toEqual([id])
        await desk.ada.call(vmPoolApi.update, {
          params: { ...desk.params, poolId: other },
          body: { desired_size: 1 },
        })
        await desk.pass(120_000)
        expect(await groups.restore(id)).toMatchObject({ status: 200, body: { name: 'web-2' } })
        await desk.pass(60_000)
        const names = (await groups.vms()).map(({ name }) => name).sort()
        expect(new Set(names).size).toBe(3)
      },
      { accountQuota: { vms: 3 } },
    ),
  )

  it(
    'is deleted for good after seven days, by its row, or at once',
    atGroups(async (desk, groups) => {
      await groups.put(await groups.pool(2))
      await desk.pass(6 * day)
      expect(await desk.app.db.selectFrom('vm_group').select('id').execute()).toHaveLength(1)
      await desk.pass(1.1 * day)
      await groups.isAllGone()
    }),
  )

  it(
    'is deleted for good when somebody says so, resting or not',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      await groups.put(id)
      expect((await groups.drop(id)).status).toBe(204)
      expect((await groups.drop(id)).status).toBe(404)
      await desk.pass(60_000)
      await groups.isAllGone()
      await groups.put(await groups.pool(2), true)
      await desk.pass(60_000)
      await groups.isAllGone()
    }),
  )

  it(
    'is not kept with the bin off',
    atGroups(async (desk, groups) => {
      await groups.put(await groups.pool(1))
      await desk.pass(60_000)
      await groups.isAllGone()
    }, withoutBin),
  )

  it(
    'goes on where it was when the server is killed in between',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      const before = facts(await groups.get(id))
      await groups.put(id)
      await desk.app.restart()
      await desk.pass(60_000)
      expect(await groups.powers()).toEqual(['suspended', 'suspended'])
      await groups.restore(id)
      await desk.app.restart()
      await desk.pass(60_000)
      expect(facts(await groups.get(id))).toEqual(before)
    }),
  )

  it(
    'comes back once, or is deleted for good, however many ask at once',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      const deleted = await Promise.all([groups.put(id), groups.put(id, true), groups.put(id)])
      expect(deleted.filter(({ status }) => status === 204)).toHaveLength(1)
      await desk.pass(60_000)
      if ((await groups.bin()).length === 0) return groups.isAllGone()
      const answers = await Promise.all([groups.restore(id), groups.restore(id), groups.drop(id)])
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(2)
      await desk.pass(60_000)
      if (answers[2].status === 204) return groups.isAllGone()
      expect(await groups.statuses(id)).toEqual(['running', 'running'])
    }),
  )

  it(
    'rests on with its project, and is as it was when that is back',
    atGroups(async (desk, groups) => {
      const id = await groups.pool(2)
      await groups.put(id)
      await desk.pass()
      const project = `/api/projects/${desk.params.projectId}`
      expect((await desk.ada.raw('DELETE', `${project}?with_vms=true`)).status).toBe(204)
      expect((await desk.ada.raw('GET', '/api/bin')).body).toMatchObject([
        { vms: 0, vm_pools: 0, bin_items: 1 },
      ])
      await desk.pass(60_000)
      await desk.ada.raw('POST', `/api/bin/${desk.params.projectId}/restore`)
      await desk.pass(60_000)
      expect(await groups.powers()).toEqual(['suspended', 'suspended'])
      expect((await groups.restore(id)).status).toBe(200)
      await desk.pass(60_000)
      expect(await groups.statuses(id)).toEqual(['running', 'running'])
      await groups.put(id)
      expect((await desk.ada.raw('DELETE', `${project}?for_good=true`)).status).toBe(204)
      await desk.pass(120_000)
      await groups.isAllGone()
    }),
  )
})

it(
  'a set goes to the bin and comes back as a pool does',
  atGroups(async (desk, groups) => {
    const { ada, params, keyId } = desk
    const body = { template_id: 'starter', ssh_key_id: keyId, name: 'db', replicas: 2 }
    const { body: set } = await ada.call(vmSetApi.create, { params, body })
    await desk.pass(60_000)
    const disks = (await ada.call(diskApi.list, { params })).body.map(({ id }: Disk) => id)
    expect((await ada.call(vmSetApi.delete, { params: { ...params, setId: set.id } })).status).toBe(204)
    await desk.pass()
    expect(await groups.bin()).toMatchObject([{ id: set.id, kind: 'vm_set', vms: [{}, {}] }])
    expect((await groups.restore(set.id)).body).toMatchObject({ kind: 'vm_set', name: 'db' })
    await desk.pass(60_000)
    const back = (await ada.call(vmSetApi.get, { params: { ...params, setId: set.id } })).body
    expect(back).toMatchObject({ status: 'active', vm_stats: { running_vms: 2 } })
    expect((await ada.call(diskApi.list, { params })).body.map(({ id }: Disk) => id)).toEqual(disks)
  }),
)
