import { binTexts, messages, shareApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { binOf, dayMs } from '../bin/bin.test-kit.ts'
import { noLimits } from '../engine/limits.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

async function poolDesk(options?: TestAppOptions) {
  const desk = await groupDesk(options)
  const { pools } = desk
  /** One of so many VMs that run, with a disk each. */
  const pool = async (size = 3) => {
    const sizes = { desired_size: size, max_size: 5, auto_scaling: false }
    return (await pools.made({ ...sizes, disks: [{ name: 'data', size: '1Gi' }] })).id
  }
  /** The statuses of its VMs, in order. */
  const statuses = async (id: string) => (await pools.get(id)).vms.map(({ status }) => status).sort()
  return { ...desk, ...pools, bin: binOf(desk), pool, statuses }
}

const factsOf = (pool: Awaited<ReturnType<Awaited<ReturnType<typeof poolDesk>>['get']>>) => ({
  ...{ id: pool.id, name: pool.name, desired: pool.desired_size, max: pool.max_size, status: pool.status },
  vms: pool.vms
    .map(({ id, name, status, disks }) => ({ id, name, status, disks: disks.map((disk) => disk.disk_id) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1)),
})

describe('a pool in the bin', () => {
  it('rests with its members, and comes back whole under the ids it had', async () => {
    const desk = await poolDesk()
    const id = await desk.pool()
    const { vms } = await desk.get(id)
    await desk.act('stop', vms[2]?.id ?? '')
    await desk.pass()
    const before = factsOf(await desk.get(id))
    desk.app.engine.poke({ volumeId: before.vms[0]?.disks[0] ?? '' }, 'kept')
    const runs = await desk.app.engine.inspect(before.vms[0]?.id ?? '')
    expect((await desk.remove(id)).status).toBe(204)
    expect((await desk.get(id)) as unknown).toMatchObject({ message: messages.vmPoolNotFound })
    expect(await desk.vms()).toEqual([])
    expect(await desk.disks()).toEqual([])
    await desk.pass(60_000)
    const stopped = before.vms.filter(({ status }) => status === 'stopped').length
    expect((await desk.bin.powers()).filter((power) => power === 'suspended')).toHaveLength(3 - stopped)
    expect(await desk.bin.list()).toMatchObject([
      {
        ...{ id, kind: 'vm_pool', name: 'web', attached_disks: 0, ended_shares: 0, has_memory: null },
        vms: before.vms.map(({ id, name }) => ({ id, name })),
        disks: [{}, {}, {}],
        bytes: 3 * 1024 ** 3,
      },
    ])
    // Nothing heals or scales meanwhile.
    await desk.pass(60 * 60_000)
    expect(await desk.bin.powers()).not.toContain('ready')

    expect(await desk.bin.restore(id)).toMatchObject({
      status: 200,
      body: { id, kind: 'vm_pool', name: 'web', notes: [] },
    })
    await desk.pass(60_000)
    expect(factsOf(await desk.get(id))).toEqual(before)
    expect(desk.app.engine.peek({ volumeId: before.vms[0]?.disks[0] ?? '' })).toBe('kept')
    expect(await desk.app.engine.inspect(before.vms[0]?.id ?? '')).toMatchObject({ power: runs.power })
    expect(await desk.bin.list()).toEqual([])
  })

  it('goes on running when it is restored at once, and heals and scales again', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    const before = factsOf(await desk.get(id))
    await desk.remove(id)
    expect((await desk.bin.restore(id)).status).toBe(200)
    await desk.pass()
    expect(factsOf(await desk.get(id))).toEqual(before)
    await desk.resize(id, 3)
    await desk.pass(60_000)
    expect((await desk.get(id)).vms).toHaveLength(3)
  })

  it('takes members along that are on their way up only once they were ready, and creates the others anew', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(1)
    await desk.resize(id, 3)
    await desk.pass(1_000)
    await desk.remove(id)
    const [item] = await desk.bin.list()
    expect(item?.vms).toHaveLength(1)
    await desk.pass(60_000)
    expect(await desk.bin.powers()).toEqual(['suspended'])
    await desk.bin.restore(id)
    await desk.pass(120_000)
    expect(await desk.statuses(id)).toEqual(['running', 'running', 'running'])
  })

  it('lets a member arrive that is starting, before it rests, and starts none that waited', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    const [one, two] = (await desk.get(id)).vms
    for (const vm of [one, two]) await desk.act('stop', vm?.id ?? '')
    await desk.pass()
    await desk.act('start', one?.id ?? '')
    await desk.pass(10)
    await desk.act('start', two?.id ?? '')
    await desk.remove(id)
    await desk.pass(120_000)
    expect(await desk.bin.powers()).not.toContain('ready')
    await desk.bin.restore(id)
    await desk.pass(120_000)
    expect(await desk.statuses(id)).toEqual(['running', 'running'])
  })

  it('leaves members in the bin that were deleted before, and free disks that were attached', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    const [gone, stays] = (await desk.get(id)).vms
    await desk.deleteVm(gone?.id ?? '')
    await desk.pass(60_000)
    const loose = await desk.readyDisk({ name: 'loose' })
    await desk.attach(loose, stays?.id)
    await desk.ada.call(shareApi.create, {
      ...desk.at('vmId', stays?.id ?? ''),
      body: { port: 3000 },
    })
    await desk.pass()
    await desk.remove(id)
    expect(await desk.bin.list()).toMatchObject([
      { id, attached_disks: 1, ended_shares: 1, vms: [{}, {}], disks: [{}, {}] },
      { id: gone?.id, kind: 'vm', disks: [{}] },
    ])
    expect(await desk.disk(loose)).toMatchObject({ status: 'available', vm_id: null })
    await desk.pass()
    // Others may write to that disk now: its guest keeps no memory.
    expect((await desk.app.engine.inspect(stays?.id ?? '')).power).toBe('off')
    expect((await desk.bin.restore(id)).body.notes).toEqual([
      binTexts.membersDisksFree,
      binTexts.membersSharesEnded,
    ])
    await desk.pass(60_000)
    expect(await desk.statuses(id)).toEqual(['running', 'running'])
    expect((await desk.bin.restore(gone?.id ?? '')).status).toBe(200)
    await desk.pass(60_000)
    expect(await desk.vms()).toHaveLength(3)
  })

  it('is shut down where the engine cannot suspend, and boots again', async () => {
    const desk = await poolDesk({ cannot: { ...noLimits, suspend: 'This engine cannot suspend' } })
    const id = await desk.pool(2)
    await desk.remove(id)
    await desk.pass(60_000)
    expect(await desk.bin.powers()).toEqual(['off', 'off'])
    await desk.bin.restore(id)
    await desk.pass(60_000)
    expect(await desk.statuses(id)).toEqual(['running', 'running'])
  })

  it('frees its name and its quota at once, and needs both to come back', async () => {
    const desk = await poolDesk({ accountQuota: { vms: 3 } })
    const id = await desk.pool(2)
    await desk.remove(id)
    const other = await desk.pool(2)
    const full = await desk.bin.restore(id)
    expect(full.status).toBe(409)
    expect((await desk.bin.list()).map((item) => item.id)).toEqual([id])
    await desk.resize(other, 1)
    await desk.pass(120_000)
    expect(await desk.bin.restore(id)).toMatchObject({ status: 200, body: { name: 'web-2' } })
    await desk.pass(60_000)
    const names = (await desk.vms()).map(({ name }) => name).sort()
    expect(new Set(names).size).toBe(3)
  })

  it('is deleted for good after seven days, by its row, or at once', async () => {
    const desk = await poolDesk()
    await desk.remove(await desk.pool(2))
    await desk.pass(6 * dayMs)
    expect(await desk.app.db.selectFrom('vm_group').select('id').execute()).toHaveLength(1)
    await desk.pass(1.1 * dayMs)
    await desk.bin.isAllGone()
  })

  it('is deleted for good when somebody says so, resting or not', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    await desk.remove(id)
    expect((await desk.bin.drop(id)).status).toBe(204)
    expect((await desk.bin.drop(id)).status).toBe(404)
    await desk.pass(60_000)
    await desk.bin.isAllGone()
    await desk.remove(await desk.pool(2), true)
    await desk.pass(60_000)
    await desk.bin.isAllGone()
  })

  it('is not kept with the bin off', async () => {
    const desk = await poolDesk(withoutBin)
    await desk.remove(await desk.pool(1))
    await desk.pass(60_000)
    await desk.bin.isAllGone()
  })

  it('goes on where it was when the server is killed in between', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    const before = factsOf(await desk.get(id))
    await desk.remove(id)
    await desk.app.restart()
    await desk.pass(60_000)
    expect(await desk.bin.powers()).toEqual(['suspended', 'suspended'])
    await desk.bin.restore(id)
    await desk.app.restart()
    await desk.pass(60_000)
    expect(factsOf(await desk.get(id))).toEqual(before)
  })

  it('comes back once, or is deleted for good, however many ask at once', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    const deleted = await Promise.all([desk.remove(id), desk.remove(id, true), desk.remove(id)])
    expect(deleted.filter(({ status }) => status === 204)).toHaveLength(1)
    await desk.pass(60_000)
    if ((await desk.bin.list()).length === 0) return desk.bin.isAllGone()
    const answers = await Promise.all([desk.bin.restore(id), desk.bin.restore(id), desk.bin.drop(id)])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(2)
    await desk.pass(60_000)
    if (answers[2].status === 204) return desk.bin.isAllGone()
    expect(await desk.statuses(id)).toEqual(['running', 'running'])
  })

  it('rests on with its project, and is as it was when that is back', async () => {
    const desk = await poolDesk()
    const id = await desk.pool(2)
    await desk.remove(id)
    await desk.pass()
    const project = `/api/projects/${desk.params.projectId}`
    expect((await desk.ada.raw('DELETE', `${project}?with_vms=true`)).status).toBe(204)
    expect((await desk.ada.raw('GET', '/api/bin')).body).toMatchObject([
      { vms: 0, vm_pools: 0, bin_items: 1 },
    ])
    await desk.pass(60_000)
    await desk.ada.raw('POST', `/api/bin/${desk.params.projectId}/restore`)
    await desk.pass(60_000)
    expect(await desk.bin.powers()).toEqual(['suspended', 'suspended'])
    expect((await desk.bin.restore(id)).status).toBe(200)
    await desk.pass(60_000)
    expect(await desk.statuses(id)).toEqual(['running', 'running'])
    await desk.remove(id)
    expect((await desk.ada.raw('DELETE', `${project}?for_good=true`)).status).toBe(204)
    await desk.pass(120_000)
    await desk.bin.isAllGone()
  })
})

it('a set goes to the bin and comes back as a pool does', async () => {
  const desk = await groupDesk()
  const bin = binOf(desk)
  const { id } = await desk.sets.made({ disks: [{ name: 'data', size: '1Gi' }] })
  const disks = (await desk.disks()).map((disk) => disk.id)
  expect((await desk.sets.remove(id)).status).toBe(204)
  await desk.pass()
  expect(await bin.list()).toMatchObject([{ id, kind: 'vm_set', vms: [{}, {}] }])
  expect((await bin.restore(id)).body).toMatchObject({ kind: 'vm_set', name: 'web' })
  await desk.pass(60_000)
  expect(await desk.sets.get(id)).toMatchObject({ status: 'active', vm_stats: { running_vms: 2 } })
  expect((await desk.disks()).map((disk) => disk.id)).toEqual(disks)
})
