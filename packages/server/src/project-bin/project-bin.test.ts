import {
  accountApi,
  type BinEmpty,
  binTexts,
  endpoints,
  isOfProject,
  messages,
  projectApi,
  projectBinApi,
  projectTexts,
  quotaApi,
  shareApi,
  type Vm,
  vmApi,
  vmSnapshotScheduleApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { binOf, dayMs } from '../bin/bin.test-kit.ts'
import type { Desk } from '../desk.test-kit.ts'
import { noLimits } from '../engine/limits.ts'
import { type GroupDesk, groupDesk } from '../group-desk.test-kit.ts'
import { isoTime } from '../lib/clock.ts'

type Person = Pick<Desk['ada'], 'call'>

async function binDesk(options?: TestAppOptions) {
  const desk = await groupDesk(options)
  const { ada, app } = desk
  const { projectId } = desk.params
  const { powers, later, isAllGone } = binOf(desk)
  const at = { params: { itemId: projectId } }
  const bin = {
    ...{ powers, later },
    put: (query = 'with_vms=true', by: Pick<Desk['ada'], 'raw'> = ada) =>
      by.raw('DELETE', `/api/projects/${projectId}?${query}`),
    list: async (by: Person = ada) => (await by.call(projectBinApi.list)).body,
    restore: (by: Person = ada) => by.call(projectBinApi.restore, at),
    empty: (body: BinEmpty, by: Person = ada) => by.call(projectBinApi.empty, { body }),
    drop: (by: Person = ada) => by.call(projectBinApi.delete, at),
    async isAllGone() {
      await isAllGone()
      expect(await app.engine.listProjects()).toEqual([])
      expect(await app.db.selectFrom('project').selectAll().execute()).toEqual([])
    },
  }
  return { desk, bin }
}

/** Ten running VMs, five stopped ones, a suspended and a broken one, a pool of eight and a set of five. */
async function fill(desk: GroupDesk) {
  const ids = { running: [] as string[], stopped: [] as string[], disks: [] as string[] }
  for (let i = 0; i < 10; i++) ids.running.push((await desk.createVm(`run-${i}`)).body.id)
  for (let i = 0; i < 5; i++) ids.stopped.push((await desk.createVm(`off-${i}`)).body.id)
  const { body: pool } = await desk.pools.create({ desired_size: 8, max_size: 10, auto_scaling: false })
  const disks = [{ name: 'data', size: '1Gi' }]
  const { body: set } = await desk.sets.create({ name: 'db', replicas: 5, disks })
  await desk.pass(120_000)
  for (const id of ids.stopped) await desk.act('stop', id)
  await desk.pass()
  const asleep = await desk.runningVm('asleep')
  await desk.act('suspend', asleep)
  const broken = await desk.runningVm('broken')
  desk.app.engine.endRun(broken, { how: 'crashed', reason: 'The guest fell over.' })
  for (const name of ['loose', 'fixed']) ids.disks.push(await desk.readyDisk({ name }))
  await desk.attach(ids.disks[1] ?? '', ids.running[0])
  await desk.pass()
  return { ...ids, pool: pool.id, set: set.id, asleep, broken }
}

describe('a project in the bin', () => {
  it('with 30 VMs comes back whole: what ran goes on, and the rest is as it was', {
    tags: ['long'],
  }, async () => {
    const { desk, bin } = await binDesk()
    const { ada, params, app } = desk
    const made = await fill(desk)
    const vmId = made.running[1] ?? ''
    await ada.call(vmSnapshotScheduleApi.set, {
      ...desk.at('vmId', vmId),
      body: { hourly: { minute: 0, keep: 2 } },
    })
    await ada.call(shareApi.create, { ...desk.at('vmId', vmId), body: { port: 3000 } })
    await desk.deleteDisk(await desk.readyDisk({ name: 'in the bin' }))
    const snapshot = await desk.readyVmSnapshot(made.stopped[0] ?? '', { retention_days: 1 })
    const factsOf = (vms: Vm[]) =>
      vms
        .map(({ id, name, status, disks, vmpool_id, vmset_id }) => ({
          ...{ id, name, status, vmpool_id, vmset_id },
          disks: disks.map(({ disk_id }) => disk_id),
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    const before = factsOf(await desk.vms())
    expect(before).toHaveLength(30)
    expect(before.filter(({ status }) => status === 'running')).toHaveLength(23)

    expect((await bin.put()).status).toBe(204)
    expect((await ada.call(projectApi.list)).body).toEqual([])
    expect(await bin.list()).toMatchObject([
      { id: params.projectId, name: 'p', vms: 30, running_vms: 23, vm_pools: 1, vm_sets: 1 },
    ])
    await desk.pass(60_000)
    expect((await bin.powers()).filter((power) => power === 'ready')).toEqual([])
    expect((await bin.powers()).filter((power) => power === 'suspended')).toHaveLength(24)
    expect(await bin.list()).toMatchObject([
      { running_vms: 23, disks: 7, snapshots: 1, bin_items: 1, deleted_by: { name: 'Ada Lovelace' } },
    ])
    // Nothing heals, scales, expires or is taken meanwhile.
    await desk.pass(3 * dayMs)
    expect((await bin.powers()).filter((power) => power === 'ready')).toEqual([])
    await app.restart()

    const later = await bin.later()
    const back = await bin.restore(later)
    expect(back).toMatchObject({ status: 200, body: { id: params.projectId, name: 'p' } })
    await desk.pass(120_000)
    const { list } = later
    // What a list of VMs is answered with.
    expect(factsOf((await list('vms')) as Vm[])).toEqual(before)
    expect(await list('vmpools')).toMatchObject([{ id: made.pool, current_size: 8, status: 'active' }])
    expect(await list('vmsets')).toMatchObject([{ id: made.set }])
    expect(await list('bin')).toMatchObject([{ kind: 'disk', name: 'in the bin' }])
    expect(await list('shares')).toMatchObject([{ vm_id: vmId, port: 3000 }])
    expect(await list('snapshots')).toMatchObject([{ id: snapshot }])
    const url = `vms/${vmId}/snapshot-schedule`
    expect(await list(url)).toMatchObject({ missed: null, last: null })
    await desk.pass(60 * 60_000)
    expect(await list('snapshots')).toHaveLength(2)
  })

  it('is found by nobody, by whatever route, and is there for its members again', async () => {
    const { desk, bin } = await binDesk()
    const { app, ada, params } = desk
    const vmId = await desk.runningVm('web')
    const bob = await app.signedIn('Bob')
    const { body: me } = await bob.call(accountApi.me)
    await app.db
      .insertInto('project_member')
      .values({ project_id: params.projectId, account_id: me.id, role: 'operator', since: isoTime(0) })
      .execute()
    expect((await bin.put('with_vms=true', bob)).status).toBe(403)
    expect((await bin.put()).status).toBe(204)
    for (const who of [ada, bob]) {
      expect((await who.call(projectApi.list)).body).toEqual([])
      for (const endpoint of endpoints) {
        if (!isOfProject(endpoint.id) || endpoint.body !== undefined) continue
        const url = endpoint.path.replace(':projectId', params.projectId).replaceAll(/:\w+/g, vmId)
        const answer = await who.raw(endpoint.method, url)
        expect(answer, endpoint.id).toMatchObject({
          status: 404,
          body: { message: messages.projectNotFound },
        })
      }
    }
    expect(await bin.list(bob)).toEqual([])
    for (const answer of [await bin.restore(bob), await bin.drop(bob)])
      expect(answer).toMatchObject({ status: 404, body: { message: messages.binItemNotFound } })
    expect((await bin.restore()).status).toBe(200)
    await desk.pass()
    expect((await bob.call(projectApi.list)).body).toMatchObject([{ id: params.projectId, role: 'operator' }])
    expect((await bob.call(vmApi.get, desk.at('vmId', vmId))).body.status).toBe('running')
  })

  it('keeps VMs that are not ready yet, and stops those it cannot suspend', async () => {
    const { desk, bin } = await binDesk({ cannot: { ...noLimits, suspend: 'Not here.' } })
    const running = await desk.runningVm('web')
    const { body: young } = await desk.createVm('young')
    await bin.put()
    await desk.pass(60_000)
    expect(await bin.powers()).toEqual(['off', 'off'])
    await bin.restore()
    await desk.pass(60_000)
    expect((await desk.vm(running)).status).toBe('running')
    expect((await desk.vm(young.id)).status).toBe('running')
  })

  it('goes on running when it is restored at once, however often that is asked', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.runningVm('web')
    const before = await desk.app.engine.inspect(id)
    expect((await Promise.all([bin.put(), bin.put()])).map(({ status }) => status).sort()).toEqual([204, 404])
    const answers = await Promise.all([bin.restore(), bin.restore()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    await desk.pass()
    expect(await desk.app.engine.inspect(id)).toEqual(before)
    expect((await desk.vm(id)).status).toBe('running')
    const rows = await desk.app.db.selectFrom('vm').select('power_back').execute()
    expect(rows).toEqual([{ power_back: null }])
  })

  it('is deleted for good with everything in it after seven days, and not before', {
    tags: ['long'],
  }, async () => {
    const { desk, bin } = await binDesk()
    await fill(desk)
    await bin.put()
    await desk.pass(7 * dayMs - 60 * 60_000)
    expect(await bin.powers()).toHaveLength(30)
    await desk.pass(3 * 60 * 60_000)
    await bin.isAllGone()
    expect((await bin.restore(await bin.later())).status).toBe(404)
    const entries = await desk.app.db.selectFrom('activity').select(['message', 'reason']).execute()
    expect(entries).toEqual(
      expect.arrayContaining([
        { message: 'Project p is being deleted for good', reason: 'It was in the bin for 7 days.' },
      ]),
    )
  })

  it('is deleted for good when its owner says so, in the bin or at once', async () => {
    const { desk, bin } = await binDesk()
    await desk.runningVm('web')
    await bin.put()
    await desk.pass()
    expect((await bin.drop()).status).toBe(204)
    expect((await bin.drop()).status).toBe(404)
    expect((await bin.restore()).status).toBe(404)
    await desk.pass(60_000)
    await bin.isAllGone()
    const { body } = await desk.ada.call(projectApi.create, { body: { name: 'next' } })
    const url = `/api/projects/${body.id}?for_good=true`
    expect((await desk.ada.raw('DELETE', url)).status).toBe(204)
    expect(await bin.list()).toEqual([])
  })

  it('is not kept with the bin off', async () => {
    const { desk, bin } = await binDesk(withoutBin)
    await desk.runningVm('web')
    expect((await bin.put()).status).toBe(204)
    expect(await bin.list()).toEqual([])
    await desk.pass(60_000)
    await bin.isAllGone()
  })

  it('is refused with VMs unless they go with it, and with a protected one', async () => {
    const { desk, bin } = await binDesk()
    const vmId = await desk.stoppedVm('web')
    for (const query of ['', 'for_good=true'])
      expect(await bin.put(query)).toMatchObject({ status: 409, body: { message: projectTexts.hasVms } })
    await desk.protect(vmId, true)
    expect(await bin.put()).toMatchObject({
      status: 409,
      body: { message: projectTexts.hasProtectedVms },
    })
    expect((await desk.vm(vmId)).status).toBe('stopped')
    expect(await bin.put('with_vms=yes')).toMatchObject({
      status: 400,
      body: { fields: { with_vms: expect.any(String) } },
    })
  })

  it('lets a snapshot under way end before it is deleted for good, and rests after it', async () => {
    const { desk, bin } = await binDesk()
    const vmId = await desk.runningVm('web')
    await desk.snapshotVm(vmId, { snapshot_type: 'full' })
    expect(await bin.put('with_vms=true&for_good=true')).toMatchObject({
      status: 409,
      body: { message: projectTexts.busy },
    })
    expect((await bin.put()).status).toBe(204)
    expect((await bin.drop()).status).toBe(409)
    await desk.pass(60_000)
    expect(await bin.powers()).toEqual(['suspended'])
    expect(await bin.list()).toMatchObject([{ snapshots: 1 }])
    expect((await bin.drop()).status).toBe(204)
    await desk.pass(60_000)
    await bin.isAllGone()
  })

  it('frees its name and its quota at once, and needs both to come back', async () => {
    const { desk, bin } = await binDesk({ accountQuota: { vms: 1 } })
    await desk.stoppedVm('web')
    await bin.put()
    const used = (await desk.ada.call(quotaApi.ofAccount)).body
    expect(used.vms.used).toBe(0)
    const { body: second } = await desk.ada.call(projectApi.create, { body: { name: 'p' } })
    const params = { projectId: second.id }
    const body = { name: 'other', template_id: 'starter', ssh_key_id: desk.keyId }
    const { body: other } = await desk.ada.call(vmApi.create, { params, body })
    await desk.pass()
    const refused = await bin.restore()
    expect(refused.status).toBe(409)
    expect(JSON.stringify(refused.body)).toMatch(/VMs/)
    expect(await bin.list()).toHaveLength(1)
    // The bin keeps as many VMs as the account may have.
    const forGood = `/api/projects/${second.id}/vms/${other.id}?for_good=true`
    await desk.ada.raw('DELETE', forGood)
    expect((await bin.restore()).body).toEqual({ id: desk.params.projectId, name: 'p-2' })
    expect((await desk.ada.call(projectApi.list)).body.map(({ name }) => name).sort()).toEqual(['p', 'p-2'])
  })

  it('goes on where it was when the server is killed in between', async () => {
    const { desk, bin } = await binDesk()
    const ids = [await desk.runningVm('one'), await desk.runningVm('two')]
    await bin.put()
    await desk.app.restart()
    await desk.pass()
    expect(await bin.powers()).toEqual(['suspended', 'suspended'])
    await bin.restore()
    await desk.app.restart()
    await desk.pass()
    for (const id of ids) expect((await desk.vm(id)).status).toBe('running')
  })

  it('rests although a start was on its way when it was deleted', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.stoppedVm('web')
    await bin.put()
    await desk.pass()
    // As a request would that was let in just before.
    await desk.app.db.updateTable('vm').set({ wanted_power: 'on' }).where('id', '=', id).execute()
    await desk.pass(120_000)
    expect(['off', 'suspended']).toContain((await bin.powers())[0])
    await bin.restore()
    await desk.pass(60_000)
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('keeps the disks of a running VM on it, with its memory', async () => {
    const { desk, bin } = await binDesk()
    const disk = await desk.readyDisk()
    const id = await desk.runningVm('web', { disks: [{ disk_id: disk }] })
    desk.app.engine.poke({ volumeId: disk }, 'kept')
    await bin.put()
    await desk.pass()
    expect(await bin.powers()).toEqual(['suspended'])
    await bin.restore()
    await desk.pass()
    expect(await desk.disks()).toMatchObject([{ id: disk, status: 'attached', vm_id: id }])
    expect(desk.app.engine.peek({ volumeId: disk })).toBe('kept')
  })

  it('has whoever listens read their lists anew, and tells them nothing of it', async () => {
    const { desk, bin } = await binDesk()
    await desk.runningVm('web')
    const hint = desk.events.length
    await bin.put()
    await desk.pass()
    // The listener of this test may see everything: it is told that the project is gone.
    expect(desk.events.slice(hint)).toContain('project')
  })
})

describe('emptying the bin of projects', () => {
  async function deleted(desk: Desk, name: string, by: Person = desk.ada) {
    const { id } = (await by.call(projectApi.create, { body: { name } })).body
    await by.call(projectApi.delete, { params: { projectId: id } })
    return id
  }

  it('deletes for good what is named with everything in it, and nothing else', async () => {
    const { desk, bin } = await binDesk()
    await desk.runningVm('web')
    await desk.readyDisk({ name: 'data' })
    await bin.put()
    const other = await deleted(desk, 'other')
    const late = await deleted(desk, 'late')
    const { body: used } = await desk.ada.call(projectApi.create, { body: { name: 'used' } })
    const ids = [desk.params.projectId, other, used.id, 'nobody']
    expect(await bin.empty({ ids })).toMatchObject({ status: 200, body: { deleted: 2, busy: 0 } })
    expect(await bin.empty({ ids })).toMatchObject({ status: 200, body: { deleted: 0, busy: 0 } })
    expect(await bin.list()).toMatchObject([{ id: late }])
    expect((await desk.ada.call(projectApi.list)).body).toMatchObject([{ id: used.id }])
    expect((await bin.restore()).status).toBe(404)
    await desk.pass(60_000)
    expect((await bin.empty({ ids: [late] })).body).toEqual({ deleted: 1, busy: 0 })
    await desk.ada.raw('DELETE', `/api/projects/${used.id}?for_good=true`)
    await desk.pass(60_000)
    await bin.isAllGone()
  })

  it('leaves alone what was restored, and what came back into the bin after the question', async () => {
    const { desk, bin } = await binDesk()
    const [again, back, gone] = [
      await deleted(desk, 'again'),
      await deleted(desk, 'back'),
      await deleted(desk, 'gone'),
    ]
    const before =
      (await bin.list())
        .map(({ deleted_at }) => deleted_at)
        .sort()
        .at(-1) ?? ''
    await desk.pass(60_000)
    for (const itemId of [again, back]) await desk.ada.call(projectBinApi.restore, { params: { itemId } })
    await desk.ada.call(projectApi.delete, { params: { projectId: again } })
    const ids = [again, back, gone]
    expect((await bin.empty({ ids, before })).body).toEqual({ deleted: 1, busy: 0 })
    expect(await bin.list()).toMatchObject([{ id: again }])
    expect((await bin.empty({ before })).body).toEqual({ deleted: 0, busy: 0 })
    expect((await bin.empty({ ids: [] })).body).toEqual({ deleted: 0, busy: 0 })
    const now = isoTime(desk.app.clock.now())
    expect((await bin.empty({ before: now })).body).toEqual({ deleted: 1, busy: 0 })
    expect(await bin.list()).toEqual([])
  })

  it('leaves a project in which a snapshot is under way, and says so', async () => {
    const { desk, bin } = await binDesk()
    await desk.snapshotVm(await desk.runningVm('web'), { snapshot_type: 'full' })
    await bin.put()
    const other = await deleted(desk, 'other')
    const ids = [desk.params.projectId, other]
    expect((await bin.empty({ ids })).body).toEqual({ deleted: 1, busy: 1 })
    expect(await bin.list()).toMatchObject([{ id: desk.params.projectId }])
    await desk.pass(60_000)
    expect((await bin.empty({ ids })).body).toEqual({ deleted: 1, busy: 0 })
    await desk.pass(60_000)
    await bin.isAllGone()
  })

  it('goes on where it was when the server was killed in between', async () => {
    const { desk, bin } = await binDesk()
    const ids = [await deleted(desk, 'a'), await deleted(desk, 'b')]
    await bin.put()
    const all = { ids: [...ids, desk.params.projectId] }
    await Promise.all([bin.empty(all), desk.app.restart()]).catch(() => {})
    const rest = (await bin.list()).length
    expect((await bin.empty(all)).body).toEqual({ deleted: rest, busy: 0 })
    expect(await bin.list()).toEqual([])
    await desk.pass(60_000)
    await bin.isAllGone()
  })

  it('is for owners: nothing of others is deleted', async () => {
    const { desk, bin } = await binDesk()
    const bob = await desk.app.signedIn('Bob')
    await bin.put()
    const own = await deleted(desk, 'own', bob)
    const body = { ids: [desk.params.projectId, own] }
    expect((await bin.empty(body, bob)).body).toEqual({ deleted: 1, busy: 0 })
    const now = isoTime(desk.app.clock.now() + dayMs)
    expect((await bin.empty({ before: now }, bob)).body).toEqual({ deleted: 0, busy: 0 })
    expect(await bin.list()).toMatchObject([{ id: desk.params.projectId }])
  })

  it('400 for what names nothing', async () => {
    const { desk, bin } = await binDesk()
    await bin.put()
    expect(await desk.ada.raw('DELETE', '/api/bin', {})).toMatchObject({
      status: 400,
      body: { message: binTexts.nothingChosen },
    })
    expect(await bin.list()).toHaveLength(1)
  })
})
