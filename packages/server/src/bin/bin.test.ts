import {
  accessTexts,
  type BinEmpty,
  type BinItem,
  binApi,
  binTexts,
  messages,
  projectApi,
  projectMemberApi,
  shareApi,
  vmApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, tokenOf, withoutBin } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { noLimits } from '../engine/limits.ts'

const day = 24 * 60 * 60_000

function binAt(desk: Desk) {
  const at = (itemId: string) => ({ params: { ...desk.params, itemId } })
  return {
    list: async () => (await desk.ada.call(binApi.list, { params: desk.params })).body,
    restore: (id: string, by: Pick<Desk['ada'], 'call'> = desk.ada) => by.call(binApi.restore, at(id)),
    delete: (id: string, by: Pick<Desk['ada'], 'call'> = desk.ada) => by.call(binApi.delete, at(id)),
    forGood: (path: string) =>
      desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}/${path}?for_good=true`),
    /** The same person some days later: their session is over. */
    async later() {
      const { email, password } = desk.ada
      const { cookie } = await desk.app.client().raw('POST', '/api/auth/signin', { email, password })
      const client = desk.app.client(cookie)
      const list = async (what: string) =>
        (await client.raw('GET', `/api/projects/${desk.params.projectId}/${what}`)).body as BinItem[]
      return { ...client, list }
    },
    /** What the engine has of everything. */
    async held() {
      const { engine } = desk.app
      return {
        machines: [...(await engine.list()).keys()],
        volumes: await engine.listVolumes(),
        machineSnapshots: await engine.listSnapshots('machine'),
        volumeSnapshots: await engine.listSnapshots('volume'),
      }
    },
    /** What is stored of it. */
    rows: async () => ({
      bin: await desk.app.db.selectFrom('bin').selectAll().execute(),
      vms: (await desk.app.db.selectFrom('vm').select('id').execute()).map(({ id }) => id),
      disks: (await desk.app.db.selectFrom('disk').select('id').execute()).map(({ id }) => id),
    }),
  }
}

const atBin = (
  test: (desk: Desk, bin: ReturnType<typeof binAt>) => Promise<void>,
  options?: Parameters<typeof atDesk>[1],
) => atDesk((desk) => test(desk, binAt(desk)), options)

/** A VM with a disk that was made for it. */
async function copyOf(desk: Desk, vmId: string, name: string) {
  const params = { ...desk.params, vmId }
  const { body } = await desk.ada.call(vmApi.fork, { params, body: { name } })
  await desk.pass()
  const id = body[0]?.id ?? ''
  const own = (await desk.disks()).find((disk) => disk.vm_id === id)?.id ?? ''
  return { id, own }
}

const nothing = { machines: [], volumes: [], machineSnapshots: [], volumeSnapshots: [] }

describe('a VM in the bin', () => {
  it(
    'is gone for its users and runs no more, and runs on from its memory when it is restored',
    atBin(async (desk, bin) => {
      const id = await desk.runningVm('web')
      const run = await desk.app.engine.inspect(id)
      expect((await desk.deleteVm(id)).status).toBe(204)
      expect((await desk.ada.call(vmApi.get, { params: { ...desk.params, vmId: id } })).status).toBe(404)
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
    }),
  )

  it(
    'goes on running when it is restored at once',
    atBin(async (desk, bin) => {
      const id = await desk.runningVm('web')
      const before = await desk.app.engine.inspect(id)
      await desk.deleteVm(id)
      expect((await bin.restore(id)).status).toBe(200)
      await desk.pass()
      expect(await desk.app.engine.inspect(id)).toEqual(before)
      expect((await desk.vm(id)).status).toBe('running')
    }),
  )

  it(
    'stays as it was: stopped, suspended, or broken',
    atBin(async (desk, bin) => {
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
    }),
  )

  it(
    'is shut down where the engine cannot suspend, and boots when it is restored',
    atBin(
      async (desk, bin) => {
        const id = await desk.runningVm('web')
        await desk.deleteVm(id)
        await desk.pass()
        expect(await desk.app.engine.inspect(id)).toMatchObject({ power: 'off', exit: { how: 'asked' } })
        expect(await bin.list()).toMatchObject([{ has_memory: false }])
        expect((await bin.restore(id)).body.notes).toEqual([binTexts.bootsAnew])
        await desk.pass()
        expect((await desk.vm(id)).status).toBe('running')
      },
      { cannot: { ...noLimits, suspend: 'Not here.' } },
    ),
  )

  it(
    'leaves attached disks available, and has those back that still are',
    atBin(async (desk, bin) => {
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
    }),
  )

  it(
    'takes disks that were made for it along, and brings them back',
    atBin(async (desk, bin) => {
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
    }),
  )

  it(
    'is deleted for good after seven days, with everything it had, and not before',
    atBin(async (desk, bin) => {
      const data = await desk.readyDisk()
      const source = await desk.runningVm('web', { disks: [{ disk_id: data }] })
      const { id, own } = await copyOf(desk, source, 'copy')
      await desk.deleteVm(id)
      await desk.pass(7 * day - 60 * 60_000)
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
    }),
  )

  it(
    'is deleted for good when somebody says so, in the bin or at once',
    atBin(async (desk, bin) => {
      const [one, other] = [await desk.runningVm('one'), await desk.runningVm('other')]
      await desk.deleteVm(one)
      await desk.pass()
      expect((await bin.delete(one)).status).toBe(204)
      expect((await bin.delete(one)).status).toBe(404)
      expect((await bin.forGood(`vms/${other}`)).status).toBe(204)
      expect(await bin.list()).toEqual([])
      await desk.pass()
      expect(await bin.held()).toEqual(nothing)
      expect(await bin.rows()).toEqual({ bin: [], vms: [], disks: [] })
    }),
  )

  it(
    'is not kept when it was never ready, nor with the bin off',
    atBin(async (desk, bin) => {
      const { body: young } = await desk.createVm('young')
      await desk.deleteVm(young.id)
      const failed = await desk.runningVm('fault-no-space')
      expect((await desk.vm(failed)).status).toBe('failed')
      await desk.deleteVm(failed)
      await desk.pass()
      expect(await bin.list()).toEqual([])
      expect(await bin.held()).toEqual(nothing)
    }),
  )

  it(
    'is not kept with the bin off',
    atBin(async (desk, bin) => {
      for (const id of [await desk.runningVm('web')]) await desk.deleteVm(id)
      await desk.deleteDisk(await desk.readyDisk())
      await desk.pass()
      expect(await bin.list()).toEqual([])
      expect(await bin.held()).toEqual(nothing)
    }, withoutBin),
  )

  it(
    'comes back under a name with a number when its own is taken',
    atBin(async (desk, bin) => {
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
    }),
  )

  it(
    'frees its quota at once, and needs it to come back',
    atBin(
      async (desk, bin) => {
        const id = await desk.stoppedVm('web')
        await desk.deleteVm(id)
        const other = await desk.stoppedVm('other')
        const refused = await bin.restore(id)
        expect(refused.status).toBe(409)
        expect(JSON.stringify(refused.body)).toMatch(/VMs/)
        expect(await bin.list()).toMatchObject([{ id }])
        await desk.deleteVm(other)
        expect((await bin.restore(id)).status).toBe(200)
      },
      { projectQuota: { vms: 1 } },
    ),
  )

  it(
    'loses its shared ports, and says so',
    atBin(async (desk, bin) => {
      const vmId = await desk.runningVm('web')
      await desk.ada.call(shareApi.create, { params: { ...desk.params, vmId }, body: { port: 3000 } })
      await desk.deleteVm(vmId)
      expect(await bin.list()).toMatchObject([{ ended_shares: 1 }])
      await desk.pass()
      expect((await bin.restore(vmId)).body.notes).toEqual([binTexts.sharesEnded])
      expect((await desk.ada.call(shareApi.list, { params: desk.params })).body).toEqual([])
    }),
  )

  it(
    'survives a server that is killed, and comes back once however often that is asked',
    atBin(async (desk, bin) => {
      const id = await desk.runningVm('web')
      await desk.deleteVm(id)
      await desk.app.restart()
      await desk.pass()
      expect(await desk.app.engine.inspect(id)).toMatchObject({ power: 'suspended' })
      const answers = await Promise.all([bin.restore(id), bin.restore(id), bin.delete(id)])
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(2)
      await desk.pass()
      const isBack = answers[2].status !== 204
      expect((await bin.held()).machines).toEqual(isBack ? [id] : [])
      expect((await bin.rows()).bin).toEqual([])
    }),
  )

  it(
    'goes with its project, which it does not keep from being deleted',
    atBin(async (desk, bin) => {
      const id = await desk.runningVm('web')
      await desk.deleteVm(id)
      await desk.pass()
      await desk.deleteDisk(await desk.readyDisk())
      expect(
        (await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}?for_good=true`)).status,
      ).toBe(204)
      await desk.pass(120_000)
      expect(await bin.held()).toEqual(nothing)
      expect(await bin.rows()).toEqual({ bin: [], vms: [], disks: [] })
      expect(await desk.app.engine.listProjects()).toEqual([])
    }),
  )

  it(
    'has its snapshot schedule go on from when it came back, and nothing was missed',
    atBin(async (desk, bin) => {
      const id = await desk.stoppedVm('web')
      const url = `/api/projects/${desk.params.projectId}/vms/${id}/snapshot-schedule`
      await desk.ada.raw('PUT', url, { hourly: { minute: 0, keep: 2 } })
      await desk.deleteVm(id)
      await desk.pass(day)
      const ada = await bin.later()
      expect(await ada.list('snapshots')).toEqual([])
      await bin.restore(id, ada)
      await desk.pass(60_000)
      expect((await ada.raw('GET', url)).body).toMatchObject({ missed: null, last: null })
      await desk.pass(60 * 60_000)
      expect(await ada.list('snapshots')).toHaveLength(1)
    }),
  )
})

describe('disks and snapshots in the bin', () => {
  it(
    'keep their data and come back with it',
    atBin(async (desk, bin) => {
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
    }),
  )

  it(
    'do not hold up other snapshots of the disk, and give their names free',
    atBin(async (desk, bin) => {
      const disk = await desk.readyDisk()
      const first = await desk.readyDiskSnapshot(disk, { name: 'nightly' })
      await desk.deleteDiskSnapshot(first)
      const second = await desk.readyDiskSnapshot(disk, { name: 'nightly', snapshot_type: 'incremental' })
      expect(await desk.diskSnapshot(second)).toMatchObject({ status: 'ready' })
      expect((await bin.restore(first)).body).toMatchObject({ name: 'nightly-2' })
      await desk.deleteDiskSnapshot(second)
      await desk.pass()
      expect(await desk.diskSnapshot(first)).toMatchObject({ status: 'ready', name: 'nightly-2' })
    }),
  )

  it(
    'do not expire there, and stay for a day when their time was over',
    atBin(async (desk, bin) => {
      const id = await desk.readyVmSnapshot(await desk.stoppedVm(), { retention_days: 1 })
      await desk.deleteVmSnapshot(id)
      await desk.pass(3 * day)
      expect((await bin.restore(id, await bin.later())).status).toBe(200)
      await desk.pass(day / 2)
      expect(await (await bin.later()).list('snapshots')).toMatchObject([{ id, status: 'ready' }])
      await desk.pass(day)
      expect(await (await bin.later()).list('snapshots')).toEqual([])
    }),
  )

  it(
    'are deleted for good after seven days, or at once',
    atBin(async (desk, bin) => {
      const disk = await desk.readyDisk()
      await desk.deleteDiskSnapshot(await desk.readyDiskSnapshot(disk))
      const vmId = await desk.stoppedVm('web')
      await desk.deleteVmSnapshot(await desk.readyVmSnapshot(vmId))
      const atOnce = await desk.readyVmSnapshot(vmId, { name: 'secret' })
      expect((await bin.forGood(`snapshots/${atOnce}`)).status).toBe(204)
      await desk.deleteDisk(disk)
      await desk.pass()
      expect((await bin.held()).machineSnapshots).toHaveLength(1)
      await desk.pass(7 * day + 2 * 60 * 60_000)
      expect(await bin.held()).toEqual({ ...nothing, machines: [vmId] })
    }),
  )

  it(
    'need their quota to come back',
    atBin(
      async (desk, bin) => {
        const id = await desk.readyDisk({ size: '3Gi' })
        await desk.deleteDisk(id)
        await desk.readyDisk({ size: '3Gi' })
        expect((await bin.restore(id)).status).toBe(409)
        expect(await bin.list()).toMatchObject([{ id }])
      },
      { projectQuota: { disk_bytes: 5 * 1024 ** 3 } },
    ),
  )

  it(
    'that could not be created are not kept',
    atBin(async (desk, bin) => {
      const id = await desk.readyDisk({ source: 'HTTP', image_url: 'https://a.test/fault-refused.img' })
      expect((await desk.disk(id))?.status).toBe('failed')
      await desk.deleteDisk(id)
      await desk.pass()
      expect(await bin.list()).toEqual([])
      expect((await bin.rows()).disks).toEqual([])
    }),
  )
})

describe('emptying the bin', () => {
  const empty = (desk: Desk, body: BinEmpty, by: Pick<Desk['ada'], 'call'> = desk.ada) =>
    by.call(binApi.empty, { params: desk.params, body })

  it(
    'deletes for good what is named, with what is in the bin with it, and nothing else',
    atBin(async (desk, bin) => {
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
      const late = await desk.readyDisk({ name: 'late' })
      await desk.deleteDisk(late)
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
    }),
  )

  it(
    'leaves alone what was restored, and what came back into the bin after the question',
    atBin(async (desk, bin) => {
      const [again, back, gone] = [
        await desk.readyDisk({ name: 'again' }),
        await desk.readyDisk({ name: 'back' }),
        await desk.readyDisk({ name: 'gone' }),
      ]
      for (const id of [again, back, gone]) await desk.deleteDisk(id)
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
    }),
  )

  it(
    'happens whole or not at all, survives a server that is killed, and is told to listeners',
    atBin(async (desk, bin) => {
      const ids = [await desk.readyDisk({ name: 'a' }), await desk.readyDisk({ name: 'b' })]
      for (const id of ids) await desk.deleteDisk(id)
      const undo = await refuse(desk.app.db, 'insert', 'activity')
      expect((await empty(desk, { ids })).status).toBe(500)
      await undo()
      expect(await bin.list()).toHaveLength(2)
      const told: unknown[] = []
      const stop = desk.app.subscribe(desk.params.projectId, (event, data) => {
        if (event === 'bin_item') told.push(data)
      })
      const answers = await Promise.all([empty(desk, { ids }), empty(desk, { ids })])
      await desk.app.idle()
      stop()
      expect(answers.reduce((sum, { body }) => sum + body.deleted, 0)).toBe(2)
      const deleted = ids.map((id) => expect.objectContaining({ id, deleted: true }))
      expect(told).toEqual(expect.arrayContaining(deleted))
      await desk.app.restart()
      await desk.pass()
      expect(await bin.held()).toEqual(nothing)
      expect(await bin.rows()).toEqual({ bin: [], vms: [], disks: [] })
    }),
  )

  for (const [body, field, sentence] of [
    [{}, 'ids', binTexts.nothingChosen],
    [{ ids: 'all' }, 'ids', binTexts.nothingChosen],
    [{ ids: Array.from({ length: 1001 }, (_, i) => `d${i}`) }, 'ids', binTexts.tooManyIds],
    [{ before: 'yesterday' }, 'before', binTexts.beforeInvalid],
  ] as const)
    it(
      `is refused when ${JSON.stringify(body).slice(0, 40)} is sent`,
      atBin(async (desk, bin) => {
        await desk.deleteDisk(await desk.readyDisk())
        const { projectId } = desk.params
        expect(await desk.ada.raw('DELETE', `/api/projects/${projectId}/bin`, body)).toMatchObject({
          status: 400,
          body: { message: sentence, fields: { [field]: sentence } },
        })
        expect(await bin.list()).toHaveLength(1)
      }),
    )

  it(
    'is for members of the project who may delete, and for nothing of other projects',
    atBin(async (desk, bin) => {
      const id = await desk.readyDisk()
      await desk.deleteDisk(id)
      const bob = await desk.app.signedIn('Bob')
      expect((await empty(desk, { ids: [id] }, bob)).status).toBe(404)
      const { body: own } = await bob.call(projectApi.create, { body: { name: 'b' } })
      expect(
        await bob.call(binApi.empty, { params: { projectId: own.id }, body: { ids: [id] } }),
      ).toMatchObject({ status: 200, body: { deleted: 0 } })
      const body = { email: bob.email, role: 'viewer' as const }
      await desk.ada.call(projectMemberApi.invite, { params: desk.params, body })
      const token = tokenOf(lastMail(desk.app.mails, bob.email))
      await bob.call(projectMemberApi.accept, { body: { token } })
      expect(await empty(desk, { ids: [id] }, bob)).toMatchObject({
        status: 403,
        body: { message: accessTexts.operator },
      })
      expect(await bin.list()).toMatchObject([{ id }])
    }),
  )
})

describe('the bin', () => {
  it(
    'is that of one project, and nobody else sees or touches it',
    atBin(async (desk, bin) => {
      const id = await desk.readyDisk()
      await desk.deleteDisk(id)
      const bob = await desk.app.signedIn('Bob')
      expect((await bob.call(binApi.list, { params: desk.params })).status).toBe(404)
      expect((await bin.restore(id, bob)).status).toBe(404)
      expect((await bin.delete(id, bob)).status).toBe(404)
      const { body: own } = await bob.call(projectApi.create, { body: { name: 'b' } })
      const params = { projectId: own.id, itemId: id }
      expect(await bob.call(binApi.restore, { params })).toMatchObject({
        status: 404,
        body: { message: messages.binItemNotFound },
      })
      expect(await bin.list()).toMatchObject([{ id }])
    }),
  )

  it(
    'tells listeners what comes and goes',
    atBin(async (desk, bin) => {
      const id = await desk.readyDisk()
      const told: unknown[] = []
      const stop = desk.app.subscribe(desk.params.projectId, (event, data) => {
        if (event === 'bin_item') told.push(data)
      })
      await desk.deleteDisk(id)
      await desk.pass()
      await bin.restore(id)
      await desk.pass()
      stop()
      expect(told).toMatchObject([
        { id, kind: 'disk' },
        { id, deleted: true },
      ])
    }),
  )
})
