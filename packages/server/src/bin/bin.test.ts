import { type BinEmpty, binApi, binTexts, messages, projectApi, shareApi, vmApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { type Desk, deskWith } from '../desk.test-kit.ts'
import { noLimits } from '../engine/limits.ts'
import { binOf, dayMs } from './bin.test-kit.ts'

async function binDesk(options?: TestAppOptions) {
  const desk = await deskWith(options)
  const { app, ada, params } = desk
  const bin = {
    ...binOf(desk),
    forGood: (path: string) => ada.raw('DELETE', `/api/projects/${params.projectId}/${path}?for_good=true`),
    /** A disk in the bin. */
    async disk(name = 'data') {
      const id = await desk.readyDisk({ name })
      await desk.deleteDisk(id)
      return id
    },
    /** What the engine has of everything. */
    held: async () => ({
      machines: [...(await app.engine.list()).keys()],
      volumes: await app.engine.listVolumes(),
      machineSnapshots: await app.engine.listSnapshots('machine'),
      volumeSnapshots: await app.engine.listSnapshots('volume'),
    }),
    /** What is stored of it. */
    rows: async () => ({
      bin: await app.db.selectFrom('bin').selectAll().execute(),
      vms: (await app.db.selectFrom('vm').select('id').execute()).map(({ id }) => id),
      disks: (await app.db.selectFrom('disk').select('id').execute()).map(({ id }) => id),
    }),
    /** Collects what listeners are told of the bin. */
    told: () => {
      const told: unknown[] = []
      app.subscribe(params.projectId, (event, data) => event === 'bin_item' && told.push(data))
      return told
    },
  }
  return { desk, bin }
}

/** A VM with a disk that was made for it. */
async function copyOf(desk: Desk, vmId: string, name: string) {
  const { body } = await desk.ada.call(vmApi.fork, { ...desk.at('vmId', vmId), body: { name } })
  await desk.pass()
  const id = body[0]?.id ?? ''
  const own = (await desk.disks()).find((disk) => disk.vm_id === id)?.id ?? ''
  return { id, own }
}

const nothing = { machines: [], volumes: [], machineSnapshots: [], volumeSnapshots: [] }

describe('a VM in the bin', () => {
  it('is gone for its users and runs no more, and runs on from its memory when it is restored', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.runningVm('web')
    const run = await desk.app.engine.inspect(id)
    expect((await desk.deleteVm(id)).status).toBe(204)
    expect((await desk.ada.call(vmApi.get, desk.at('vmId', id))).status).toBe(404)
    expect((await desk.ada.call(vmApi.list, { params: desk.params })).body).toEqual([])
    await desk.pass()
    expect(await desk.app.engine.inspect(id)).toMatchObject({ power: 'suspended' })
    expect(await bin.list()).toMatchObject([
      { id, kind: 'vm', name: 'web', disks: [], has_memory: true, deleted_by: { name: 'Ada Lovelace' } },
    ])
    expect(await bin.restore(id)).toEqual(
      expect.objectContaining({ status: 200, body: { id, kind: 'vm', name: 'web', notes: [] } }),
    )
    expect(await desk.vm(id)).toMatchObject({ id, name: 'web', status: 'starting' })
    await desk.pass()
    const again = await desk.app.engine.inspect(id)
    expect(again.power).toBe('ready')
    expect(await desk.vm(id)).toMatchObject({ status: 'running' })
    expect(run.power).toBe('ready')
    expect(await bin.list()).toEqual([])
  })

  it('goes on running when it is restored at once', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.runningVm('web')
    const before = await desk.app.engine.inspect(id)
    await desk.deleteVm(id)
    expect((await bin.restore(id)).status).toBe(200)
    await desk.pass()
    expect(await desk.app.engine.inspect(id)).toEqual(before)
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('stays as it was: stopped, suspended, or broken', async () => {
    const { desk, bin } = await binDesk()
    const stopped = await desk.stoppedVm('stopped')
    const asleep = await desk.runningVm('asleep')
    await desk.act('suspend', asleep)
    await desk.pass()
    const broken = await desk.runningVm('broken')
    desk.app.engine.endRun(broken, { how: 'crashed', reason: 'The guest fell over.' })
    await desk.pass()
    for (const [id, status] of [
      [stopped, 'stopped'],
      [asleep, 'suspended'],
      [broken, 'error'],
    ] as const) {
      expect((await desk.vm(id)).status).toBe(status)
      await desk.deleteVm(id)
      await desk.pass()
      expect((await bin.restore(id)).status).toBe(200)
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status })
    }
    expect((await desk.vm(broken)).status_message).toContain('The guest fell over.')
  })

  it('is shut down where the engine cannot suspend, and boots when it is restored', async () => {
    const { desk, bin } = await binDesk({ cannot: { ...noLimits, suspend: 'Not here.' } })
    const id = await desk.runningVm('web')
    await desk.deleteVm(id)
    await desk.pass()
    expect(await desk.app.engine.inspect(id)).toMatchObject({ power: 'off', exit: { how: 'asked' } })
    expect(await bin.list()).toMatchObject([{ has_memory: false }])
    expect((await bin.restore(id)).body.notes).toEqual([binTexts.bootsAnew])
    await desk.pass()
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('leaves attached disks available, and has those back that still are', async () => {
    const { desk, bin } = await binDesk()
    const [one, other] = [await desk.readyDisk({ name: 'one' }), await desk.readyDisk({ name: 'other' })]
    const id = await desk.runningVm('web', { disks: [{ disk_id: one }, { disk_id: other }] })
    await desk.deleteVm(id)
    expect((await desk.disks()).map(({ status }) => status)).toEqual(['available', 'available'])
    await desk.pass()
    // Its memory knows disks that may change meanwhile.
    expect(await desk.app.engine.inspect(id)).toMatchObject({ power: 'off' })
    expect(await bin.list()).toMatchObject([{ attached_disks: 2, has_memory: false }])
    const second = await desk.runningVm('second', { disks: [{ disk_id: other }] })
    expect((await desk.disk(other))?.vm_id).toBe(second)
    const { body } = await bin.restore(id)
    expect(body.notes).toEqual([
      'A disk that was attached to it is not available any more.',
      binTexts.bootsAnew,
    ])
    await desk.pass()
    expect(await desk.disk(one)).toMatchObject({ status: 'attached', vm_id: id })
    expect(await desk.disk(other)).toMatchObject({ status: 'attached', vm_id: second })
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('takes disks that were made for it along, and brings them back', async () => {
    const { desk, bin } = await binDesk()
    const data = await desk.readyDisk()
    const source = await desk.runningVm('web', { disks: [{ disk_id: data }] })
    desk.app.engine.poke({ volumeId: data }, 'kept')
    const { id, own } = await copyOf(desk, source, 'copy')
    await desk.deleteVm(id)
    await desk.pass()
    expect(await desk.disk(own)).toBeUndefined()
    expect(await bin.list()).toMatchObject([
      { id, disks: [{ id: own, name: 'data' }], bytes: 1024 ** 3, has_memory: true },
    ])
    expect((await bin.held()).volumes).toContain(own)
    await bin.restore(id)
    await desk.pass()
    expect(await desk.disk(own)).toMatchObject({ status: 'attached', vm_id: id, deleted_with_vm: true })
    expect(desk.app.engine.peek({ volumeId: own })).toBe('kept')
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('is deleted for good after seven days, with everything it had, and not before', async () => {
    const { desk, bin } = await binDesk()
    const data = await desk.readyDisk()
    const source = await desk.runningVm('web', { disks: [{ disk_id: data }] })
    const { id, own } = await copyOf(desk, source, 'copy')
    await desk.deleteVm(id)
    await desk.pass(7 * dayMs - 60 * 60_000)
    expect((await bin.rows()).vms).toContain(id)
    expect((await bin.held()).volumes).toContain(own)
    await desk.pass(3 * 60 * 60_000)
    expect(await bin.rows()).toEqual({ bin: [], vms: [source], disks: [data] })
    expect(await bin.held()).toMatchObject({ machines: [source], volumes: [data] })
    expect(await bin.restore(id, await bin.later())).toMatchObject({
      status: 404,
      body: { message: messages.binItemNotFound },
    })
    const entries = await desk.app.db.selectFrom('activity').select('message').execute()
    expect(entries.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['VM copy is being deleted for good', 'VM copy was deleted']),
    )
  })

  it('is deleted for good when somebody says so, in the bin or at once', async () => {
    const { desk, bin } = await binDesk()
    const [one, other] = [await desk.runningVm('one'), await desk.runningVm('other')]
    await desk.deleteVm(one)
    await desk.pass()
    expect((await bin.drop(one)).status).toBe(204)
    expect((await bin.drop(one)).status).toBe(404)
    expect((await bin.forGood(`vms/${other}`)).status).toBe(204)
    expect(await bin.list()).toEqual([])
    await desk.pass()
    await bin.isAllGone()
  })

  it('is not kept when it was never ready', async () => {
    const { desk, bin } = await binDesk()
    const { body: young } = await desk.createVm('young')
    await desk.deleteVm(young.id)
    const failed = await desk.runningVm('fault-no-space')
    expect((await desk.vm(failed)).status).toBe('failed')
    await desk.deleteVm(failed)
    await desk.pass()
    await bin.isAllGone()
  })

  it('is not kept with the bin off', async () => {
    const { desk, bin } = await binDesk(withoutBin)
    await desk.deleteVm(await desk.runningVm('web'))
    await desk.deleteDisk(await desk.readyDisk())
    await desk.pass()
    await bin.isAllGone()
  })

  it('comes back under a name with a number when its own is taken', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.stoppedVm('web')
    const snapshot = await desk.readyVmSnapshot(id)
    await desk.deleteVm(id)
    await desk.stoppedVm('web')
    expect((await bin.restore(id)).body).toMatchObject({ name: 'web-2' })
    expect((await desk.vm(id)).name).toBe('web-2')
    expect(await desk.vmSnapshot(snapshot)).toMatchObject({ vm_name: 'web-2' })
    const { reason } = await desk.app.db
      .selectFrom('activity')
      .select('reason')
      .where('action', '=', 'bin.restore')
      .executeTakeFirstOrThrow()
    expect(reason).toBe('It is called web-2 now: its name is taken.')
  })

  it('frees its quota at once, and needs it to come back', async () => {
    const { desk, bin } = await binDesk({ projectQuota: { vms: 1 } })
    const id = await desk.stoppedVm('web')
    await desk.deleteVm(id)
    const other = await desk.stoppedVm('other')
    const refused = await bin.restore(id)
    expect(refused.status).toBe(409)
    expect(JSON.stringify(refused.body)).toMatch(/VMs/)
    expect(await bin.list()).toMatchObject([{ id }])
    await desk.deleteVm(other)
    expect((await bin.restore(id)).status).toBe(200)
  })

  it('loses its shared ports, and says so', async () => {
    const { desk, bin } = await binDesk()
    const vmId = await desk.runningVm('web')
    await desk.ada.call(shareApi.create, { ...desk.at('vmId', vmId), body: { port: 3000 } })
    await desk.deleteVm(vmId)
    expect(await bin.list()).toMatchObject([{ ended_shares: 1 }])
    await desk.pass()
    expect((await bin.restore(vmId)).body.notes).toEqual([binTexts.sharesEnded])
    expect((await desk.ada.call(shareApi.list, { params: desk.params })).body).toEqual([])
  })

  it('survives a server that is killed, and comes back once however often that is asked', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.runningVm('web')
    await desk.deleteVm(id)
    await desk.app.restart()
    await desk.pass()
    expect(await desk.app.engine.inspect(id)).toMatchObject({ power: 'suspended' })
    const answers = await Promise.all([bin.restore(id), bin.restore(id), bin.drop(id)])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(2)
    await desk.pass()
    const isBack = answers[2].status !== 204
    expect((await bin.held()).machines).toEqual(isBack ? [id] : [])
    expect((await bin.rows()).bin).toEqual([])
  })

  it('goes with its project, which it does not keep from being deleted', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.runningVm('web')
    await desk.deleteVm(id)
    await desk.pass()
    await bin.disk()
    const project = `/api/projects/${desk.params.projectId}`
    expect((await desk.ada.raw('DELETE', `${project}?for_good=true`)).status).toBe(204)
    await desk.pass(120_000)
    await bin.isAllGone()
    expect(await desk.app.engine.listProjects()).toEqual([])
  })

  it('has its snapshot schedule go on from when it came back, and nothing was missed', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.stoppedVm('web')
    const url = `/api/projects/${desk.params.projectId}/vms/${id}/snapshot-schedule`
    await desk.ada.raw('PUT', url, { hourly: { minute: 0, keep: 2 } })
    await desk.deleteVm(id)
    await desk.pass(dayMs)
    const ada = await bin.later()
    expect(await ada.list('snapshots')).toEqual([])
    await bin.restore(id, ada)
    await desk.pass(60_000)
    expect((await ada.raw('GET', url)).body).toMatchObject({ missed: null, last: null })
    await desk.pass(60 * 60_000)
    expect(await ada.list('snapshots')).toHaveLength(1)
  })
})

describe('disks and snapshots in the bin', () => {
  it('keep their data and come back with it', async () => {
    const { desk, bin } = await binDesk()
    const { engine } = desk.app
    const disk = await desk.readyDisk({ name: 'data' })
    engine.poke({ volumeId: disk }, 'kept')
    const ofDisk = await desk.readyDiskSnapshot(disk, { name: 'monday' })
    const vmId = await desk.stoppedVm('web')
    const ofVm = await desk.readyVmSnapshot(vmId, { name: 'good' })
    for (const answer of [
      await desk.deleteDiskSnapshot(ofDisk),
      await desk.deleteVmSnapshot(ofVm),
      await desk.deleteDisk(disk),
    ])
      expect(answer.status).toBe(204)
    await desk.pass(60 * 60_000)
    expect([await desk.disks(), await desk.diskSnapshots(), await desk.vmSnapshots()]).toEqual([[], [], []])
    const items = await bin.list()
    expect(items.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      'disk data',
      'disk_snapshot monday',
      'vm_snapshot good',
    ])
    for (const { id, bytes } of items) {
      expect(bytes).toBeGreaterThan(0)
      expect((await bin.restore(id)).status).toBe(200)
    }
    await desk.pass()
    expect(await desk.disk(disk)).toMatchObject({ status: 'available', name: 'data' })
    expect(engine.peek({ volumeId: disk })).toBe('kept')
    expect(await desk.diskSnapshot(ofDisk)).toMatchObject({ status: 'ready' })
    expect(await desk.vmSnapshot(ofVm)).toMatchObject({ status: 'ready' })
    expect((await desk.restore(ofVm, vmId)).status).toBe(202)
  })

  it('do not hold up other snapshots of the disk, and give their names free', async () => {
    const { desk, bin } = await binDesk()
    const disk = await desk.readyDisk()
    const first = await desk.readyDiskSnapshot(disk, { name: 'nightly' })
    await desk.deleteDiskSnapshot(first)
    const second = await desk.readyDiskSnapshot(disk, { name: 'nightly', snapshot_type: 'incremental' })
    expect(await desk.diskSnapshot(second)).toMatchObject({ status: 'ready' })
    expect((await bin.restore(first)).body).toMatchObject({ name: 'nightly-2' })
    await desk.deleteDiskSnapshot(second)
    await desk.pass()
    expect(await desk.diskSnapshot(first)).toMatchObject({ status: 'ready', name: 'nightly-2' })
  })

  it('do not expire there, and stay for a day when their time was over', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.readyVmSnapshot(await desk.stoppedVm(), { retention_days: 1 })
    await desk.deleteVmSnapshot(id)
    await desk.pass(3 * dayMs)
    expect((await bin.restore(id, await bin.later())).status).toBe(200)
    await desk.pass(dayMs / 2)
    expect(await (await bin.later()).list('snapshots')).toMatchObject([{ id, status: 'ready' }])
    await desk.pass(dayMs)
    expect(await (await bin.later()).list('snapshots')).toEqual([])
  })

  it('are deleted for good after seven days, or at once', async () => {
    const { desk, bin } = await binDesk()
    const disk = await desk.readyDisk()
    await desk.deleteDiskSnapshot(await desk.readyDiskSnapshot(disk))
    const vmId = await desk.stoppedVm('web')
    await desk.deleteVmSnapshot(await desk.readyVmSnapshot(vmId))
    const atOnce = await desk.readyVmSnapshot(vmId, { name: 'secret' })
    expect((await bin.forGood(`snapshots/${atOnce}`)).status).toBe(204)
    await desk.deleteDisk(disk)
    await desk.pass()
    expect((await bin.held()).machineSnapshots).toHaveLength(1)
    await desk.pass(7 * dayMs + 2 * 60 * 60_000)
    expect(await bin.held()).toEqual({ ...nothing, machines: [vmId] })
  })

  it('need their quota to come back', async () => {
    const { desk, bin } = await binDesk({ projectQuota: { disk_bytes: 5 * 1024 ** 3 } })
    const id = await desk.readyDisk({ size: '3Gi' })
    await desk.deleteDisk(id)
    await desk.readyDisk({ size: '3Gi' })
    expect((await bin.restore(id)).status).toBe(409)
    expect(await bin.list()).toMatchObject([{ id }])
  })

  it('that could not be created are not kept', async () => {
    const { desk, bin } = await binDesk()
    const id = await desk.readyDisk({ source: 'HTTP', image_url: 'https://a.test/fault-refused.img' })
    expect((await desk.disk(id))?.status).toBe('failed')
    await desk.deleteDisk(id)
    await desk.pass()
    expect(await bin.list()).toEqual([])
    expect((await bin.rows()).disks).toEqual([])
  })
})

describe('emptying the bin', () => {
  const empty = ({ ada, params }: Desk, body: BinEmpty) => ada.call(binApi.empty, { params, body })

  it('deletes for good what is named, with what is in the bin with it, and nothing else', async () => {
    const { desk, bin } = await binDesk()
    const source = await desk.stoppedVm('source')
    const { id, own } = await copyOf(desk, source, 'copy')
    await desk.deleteVm(id)
    const disk = await desk.readyDisk({ name: 'data' })
    await desk.deleteDiskSnapshot(await desk.readyDiskSnapshot(disk))
    await desk.deleteDisk(disk)
    await desk.deleteVmSnapshot(await desk.readyVmSnapshot(source))
    await desk.pass()
    const ids = (await bin.list()).map((item) => item.id)
    expect(ids).toHaveLength(4)
    const late = await bin.disk('late')
    expect(await empty(desk, { ids: [...ids, 'nobody', source] })).toMatchObject({
      status: 200,
      body: { deleted: 4 },
    })
    expect(await bin.list()).toMatchObject([{ id: late }])
    await desk.pass()
    expect(await bin.held()).toMatchObject({
      ...nothing,
      machines: [source],
      volumes: expect.not.arrayContaining([disk, own]),
    })
    expect((await bin.held()).volumes).toContain(late)
    expect((await bin.rows()).vms).toEqual([source])
  })

  it('leaves alone what was restored, and what came back into the bin after the question', async () => {
    const { desk, bin } = await binDesk()
    const [again, back] = [await bin.disk('again'), await bin.disk('back'), await bin.disk('gone')]
    const items = await bin.list()
    const before = items
      .map(({ deleted_at }) => deleted_at)
      .sort()
      .at(-1)
    await desk.pass(60_000)
    for (const id of [again, back]) expect((await bin.restore(id)).status).toBe(200)
    await desk.deleteDisk(again)
    const body = { ids: items.map(({ id }) => id), ...(before !== undefined && { before }) }
    expect((await empty(desk, body)).body).toEqual({ deleted: 1 })
    expect(await bin.list()).toMatchObject([{ id: again }])
    expect((await desk.disk(back))?.status).toBe('available')
    // A time alone names everything until then, in whatever form it comes.
    expect((await empty(desk, { before: '2000-01-01T00:00:00Z' })).body).toEqual({ deleted: 0 })
    const now = new Date(desk.app.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    await desk.pass(60_000)
    expect((await empty(desk, { before: now.replace('Z', '.999Z') })).body).toEqual({ deleted: 1 })
    expect((await empty(desk, { ids: [] })).body).toEqual({ deleted: 0 })
    expect(await bin.list()).toEqual([])
  })

  it('happens once, survives a server that is killed, and is told to listeners', async () => {
    const { desk, bin } = await binDesk()
    const ids = [await bin.disk('a'), await bin.disk('b')]
    const told = bin.told()
    const answers = await Promise.all([empty(desk, { ids }), empty(desk, { ids })])
    await desk.app.idle()
    expect(answers.reduce((sum, { body }) => sum + body.deleted, 0)).toBe(2)
    const deleted = ids.map((id) => expect.objectContaining({ id, deleted: true }))
    expect(told).toEqual(expect.arrayContaining(deleted))
    await desk.app.restart()
    await desk.pass()
    await bin.isAllGone()
  })

  it.each([
    [{}, 'ids', binTexts.nothingChosen],
    [{ ids: 'all' }, 'ids', binTexts.nothingChosen],
    [{ ids: Array(1001).fill('x') }, 'ids', binTexts.tooManyIds],
    [{ before: 'yesterday' }, 'before', binTexts.beforeInvalid],
  ])('400 for what names nothing (%#)', async (body, field, sentence) => {
    const { desk, bin } = await binDesk()
    await bin.disk()
    expect(await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}/bin`, body)).toMatchObject({
      status: 400,
      body: { message: sentence, fields: { [field]: sentence } },
    })
    expect(await bin.list()).toHaveLength(1)
  })

  it('deletes nothing of other projects', async () => {
    const { desk, bin } = await binDesk()
    const id = await bin.disk()
    const bob = await desk.app.signedIn('Bob')
    const { body: own } = await bob.call(projectApi.create, { body: { name: 'b' } })
    expect(
      await bob.call(binApi.empty, { params: { projectId: own.id }, body: { ids: [id] } }),
    ).toMatchObject({ status: 200, body: { deleted: 0 } })
    expect(await bin.list()).toMatchObject([{ id }])
  })
})

it('the bin tells listeners what comes and goes', async () => {
  const { desk, bin } = await binDesk()
  const id = await desk.readyDisk()
  const told = bin.told()
  await desk.deleteDisk(id)
  await desk.pass()
  await bin.restore(id)
  await desk.pass()
  expect(told).toMatchObject([
    { id, kind: 'disk' },
    { id, deleted: true },
  ])
})
