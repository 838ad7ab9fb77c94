import {
  accountApi,
  diskSnapshotScheduleApi,
  mayWhileFrozen,
  projectApi,
  type VmSnapshotScheduleSet,
  vmApi,
  vmSnapshotScheduleApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { type Desk, deskWith } from '../desk.test-kit.ts'
import { noLimits } from '../engine/limits.ts'
import { makeSnapshotScheduleRepo, Overtaken } from './snapshot-schedule.repo.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A desk at which time goes on to given moments of the day on which it began, midnight in UTC. */
async function schedules(options?: TestAppOptions) {
  const desk = await deskWith(options)
  const { app, ada, params, at } = desk
  const midnight = Math.floor(app.clock.now() / dayMs) * dayMs
  return {
    desk,
    set: (vmId: string, body: VmSnapshotScheduleSet | object) =>
      ada.call(vmSnapshotScheduleApi.set, { ...at('vmId', vmId), body }),
    get: async (vmId: string) => (await ada.call(vmSnapshotScheduleApi.get, at('vmId', vmId))).body,
    remove: (vmId: string) => ada.call(vmSnapshotScheduleApi.delete, at('vmId', vmId)),
    setDisk: (diskId: string, body: object) =>
      ada.call(diskSnapshotScheduleApi.set, { ...at('diskId', diskId), body }),
    getDisk: async (diskId: string) =>
      (await ada.call(diskSnapshotScheduleApi.get, at('diskId', diskId))).body,
    list: async (project = params) => ({
      vms: (await ada.call(vmSnapshotScheduleApi.list, { params: project })).body,
      disks: (await ada.call(diskSnapshotScheduleApi.list, { params: project })).body,
    }),
    removeDisk: (diskId: string) => ada.call(diskSnapshotScheduleApi.delete, at('diskId', diskId)),
    /** Minute by minute, to a moment on a day; what follows a minute has three more to be done. */
    async until(hour: number, minute = 0, day = 0) {
      // At one go to a moment before: nothing is due on the way.
      const before = midnight + day * dayMs + hour * hourMs + (minute - 1) * minuteMs
      await app.clock.suspend(Math.max(0, before - app.clock.now()))
      await desk.pass(4 * minuteMs)
      await app.idle()
    },
    iso: (hour: number, minute = 0, day = 0) =>
      new Date(midnight + day * dayMs + hour * hourMs + minute * minuteMs).toISOString(),
    names: async () => (await desk.vmSnapshots()).map(({ name }) => name),
    /** What the log has of actions whose names hold a word. */
    told: async (word = 'Schedule.') =>
      (await app.db.selectFrom('activity').selectAll().orderBy('id').execute()).filter(({ action }) =>
        action.includes(word),
      ),
    stored: () => app.db.selectFrom('snapshot_schedule').selectAll().orderBy('id').execute(),
  }
}

/** The same with a VM that has a schedule. */
async function scheduled(body: VmSnapshotScheduleSet | object, options?: TestAppOptions) {
  const kit = await schedules(options)
  const vmId = await kit.desk.runningVm('web')
  await kit.set(vmId, body)
  return { ...kit, vmId }
}

const daily = { time: '03:00', keep: 7 }
const hourly = { minute: 0, keep: 2 }
const empty = {
  ...{ hourly: null, daily: null, weekly: null, time_zone: 'UTC', paused: false },
  ...{ next_at: null, last: null, missed: null, not_deleted: null },
}

describe('setting a schedule', () => {
  it('200: none at first, then what was set, then what was set in its place', async () => {
    const { desk, set, get, iso, stored } = await schedules()
    const vmId = await desk.runningVm('web')
    expect(await get(vmId)).toEqual({ ...empty, vm_id: vmId, snapshot_type: 'disk' })
    const first = await set(vmId, { daily, time_zone: 'Europe/Berlin' })
    expect(first).toMatchObject({
      status: 200,
      body: { daily, hourly: null, time_zone: 'Europe/Berlin', snapshot_type: 'disk', next_at: iso(2) },
    })
    expect(await get(vmId)).toEqual(first.body)
    const second = await set(vmId, { hourly, snapshot_type: 'full' })
    expect(second.body).toMatchObject({ daily: null, hourly, snapshot_type: 'full', next_at: iso(1) })
    expect(await stored()).toHaveLength(1)
    expect(desk.events).toContain('vm')
  })

  it('the same for disks', async () => {
    const { desk, setDisk, getDisk, removeDisk, iso } = await schedules()
    const diskId = await desk.readyDisk()
    expect(await getDisk(diskId)).toEqual({ ...empty, disk_id: diskId, snapshot_type: 'full' })
    const weekly = { weekday: 'sunday', time: '12:00', keep: 4 }
    const answer = await setDisk(diskId, { weekly, snapshot_type: 'incremental' })
    // The 21st of November 2026 is a Saturday.
    expect(answer).toMatchObject({ status: 200, body: { weekly, next_at: iso(12, 0, 1) } })
    expect(await getDisk(diskId)).toEqual(answer.body)
    expect((await removeDisk(diskId)).status).toBe(204)
    expect(await getDisk(diskId)).toMatchObject({ weekly: null })
  })

  it('those of a project are listed, of VMs and of disks; objects without one and those of others are left out', async () => {
    const { desk, set, setDisk, list } = await schedules()
    expect(await list()).toEqual({ vms: [], disks: [] })
    const [web, db] = [await desk.runningVm('web'), await desk.runningVm('db')]
    const diskId = await desk.readyDisk()
    const [{ body: ofWeb }, { body: ofDisk }] = [
      await set(web, { daily }),
      await setDisk(diskId, { hourly, paused: true }),
    ]
    expect(await list()).toEqual({ vms: [ofWeb], disks: [ofDisk] })
    await set(db, { hourly })
    await desk.deleteVm(web)
    expect(await list()).toMatchObject({ vms: [{ vm_id: db }], disks: [{ disk_id: diskId }] })
    const { body: other } = await desk.ada.call(projectApi.create, { body: { name: 'other' } })
    expect(await list({ projectId: other.id })).toEqual({ vms: [], disks: [] })
  })

  it('the same twice changes nothing, and is not told twice', async () => {
    const { desk, set, told, stored, vmId } = await scheduled({ daily })
    const before = await stored()
    await desk.pass()
    expect((await set(vmId, { daily, hourly: null })).status).toBe(200)
    expect(await stored()).toEqual(before)
    expect(await told()).toHaveLength(1)
  })

  it('204: it is deleted once, and what it took stays', async () => {
    const { get, remove, until, names, told, vmId } = await scheduled({ hourly })
    await until(1)
    expect((await remove(vmId)).status).toBe(204)
    expect((await remove(vmId)).status).toBe(204)
    expect(await get(vmId)).toMatchObject({ hourly: null, next_at: null })
    await until(3)
    expect(await names()).toEqual(['hourly 2026-11-21 01:00'])
    expect((await told()).map(({ action }) => action)).toEqual([
      'vmSnapshotSchedule.set',
      'vmSnapshotSchedule.delete',
    ])
  })

  it('400 and 422 say what to do, and change nothing', async () => {
    const limits = { memorySnapshots: 'No memory here.', incrementalSnapshots: 'No increments here.' }
    const { desk, set, setDisk, stored } = await schedules({ cannot: { ...noLimits, ...limits } })
    const vmId = await desk.runningVm('web')
    expect(await set(vmId, {})).toMatchObject({
      status: 400,
      body: { fields: { daily: 'Choose hourly, daily or weekly snapshots' } },
    })
    expect(await set(vmId, { daily, snapshot_type: 'full' })).toMatchObject({
      status: 422,
      body: { fields: { snapshot_type: 'No memory here.' } },
    })
    expect(await setDisk(await desk.readyDisk(), { daily, snapshot_type: 'incremental' })).toMatchObject({
      status: 422,
      body: { fields: { snapshot_type: 'No increments here.' } },
    })
    expect(await stored()).toEqual([])
  })
})

describe('a snapshot that is due', () => {
  it('is taken once, is an ordinary one with a mark, and is told of', async () => {
    const { desk, get, until, iso, vmId, told } = await scheduled({ daily, time_zone: 'Europe/Berlin' })
    await until(2)
    const [snapshot, ...others] = await desk.vmSnapshots()
    expect(others).toEqual([])
    expect(snapshot).toMatchObject({
      name: 'daily 2026-11-21 03:00',
      status: 'ready',
      scheduled: 'daily',
      automatic: false,
      snapshot_type: 'disk',
      retention_days: 365,
      vm_id: vmId,
    })
    expect(await get(vmId)).toMatchObject({
      next_at: iso(2, 0, 1),
      last: { due_at: iso(2), outcome: 'ready', snapshot_id: snapshot?.id, message: null },
      missed: null,
    })
    const message = 'Create snapshot daily 2026-11-21 03:00 of VM web requested by its schedule'
    expect(await told('vmSnapshot.scheduled')).toMatchObject([{ kind: 'change', actor_id: null, message }])
  })

  it('is taken of a disk, by a name that is free, and builds upon the one before', async () => {
    const { desk, setDisk, until } = await schedules()
    const diskId = await desk.readyDisk()
    await desk.snapshotDisk(diskId, { name: 'hourly 2026-11-21 01:00' })
    await setDisk(diskId, { hourly, snapshot_type: 'incremental' })
    await until(1)
    await until(2)
    const all = await desk.diskSnapshots()
    expect(all.map(({ name, scheduled, status }) => [name, scheduled, status])).toEqual([
      ['hourly 2026-11-21 01:00', null, 'ready'],
      ['hourly 2026-11-21 01:00 (2)', 'hourly', 'ready'],
      ['hourly 2026-11-21 02:00', 'hourly', 'ready'],
    ])
    expect(all[2]).toMatchObject({ parent_id: all[1]?.id, snapshot_type: 'incremental' })
  })

  it('is not taken while the schedule is paused, nor made up for', async () => {
    const { set, get, until, names, iso, vmId } = await scheduled({ hourly, paused: true })
    expect(await get(vmId)).toMatchObject({ paused: true, next_at: null })
    await until(3)
    await set(vmId, { hourly })
    expect(await get(vmId)).toMatchObject({ next_at: iso(4), missed: null })
    await until(4)
    expect(await names()).toEqual(['hourly 2026-11-21 04:00'])
  })

  it('is not taken of a copy of the VM', async () => {
    const { desk, get, until, vmId } = await scheduled({ hourly })
    const { body } = await desk.ada.call(vmApi.fork, { ...desk.at('vmId', vmId), body: { name: 'copy' } })
    await desk.pass()
    expect(await get(body[0]?.id ?? '')).toMatchObject({ hourly: null })
    await until(1)
    expect((await desk.vmSnapshots()).map(({ vm_name }) => vm_name)).toEqual(['web'])
  })

  it('goes with its VM or disk', async () => {
    const { desk, set, setDisk, until, stored, told } = await schedules(withoutBin)
    const [vmId, diskId] = [await desk.runningVm('web'), await desk.readyDisk()]
    await set(vmId, { hourly })
    await setDisk(diskId, { hourly })
    await desk.deleteVm(vmId)
    await desk.deleteDisk(diskId)
    await until(1)
    expect(await stored()).toEqual([])
    expect((await told()).map(({ action }) => action)).not.toContain('vmSnapshotSchedule.missed')
  })
})

describe('snapshots beyond those that are kept', () => {
  it('are deleted once a newer one is ready: those of the schedule, and no others', async () => {
    const { desk, set, until, names, told } = await schedules()
    const vmId = await desk.runningVm('web')
    await desk.readyVmSnapshot(vmId, { name: 'mine' })
    await set(vmId, { hourly })
    for (const hour of [1, 2, 3, 4]) await until(hour)
    expect(await names()).toEqual(['mine', 'hourly 2026-11-21 03:00', 'hourly 2026-11-21 04:00'])
    const message = 'Delete snapshot hourly 2026-11-21 01:00 of VM web requested by its schedule'
    expect((await told('vmSnapshot.superseded'))[0]).toMatchObject({ message })
  })

  it('stay while the newer ones fail, of which the last one stays to be seen', async () => {
    const { desk, set, get, until } = await schedules()
    const vmId = await desk.runningVm('fault-no-copies')
    await set(vmId, { hourly: { minute: 0, keep: 1 } })
    await until(1)
    await until(2)
    const all = await desk.vmSnapshots()
    expect(all.map(({ name, status }) => [name, status])).toEqual([['hourly 2026-11-21 02:00', 'failed']])
    expect(await get(vmId)).toMatchObject({
      last: { outcome: 'failed', message: expect.stringContaining('not have enough space') },
    })
    await desk.app.db.updateTable('vm_snapshot').set({ status: 'ready' }).execute()
    await until(3)
    expect((await desk.vmSnapshots()).map(({ name }) => name)).toContain('hourly 2026-11-21 02:00')
  })

  it('of a disk are merged one after the other when fewer are kept from now on', async () => {
    const { desk, setDisk, getDisk, until } = await schedules()
    const diskId = await desk.readyDisk()
    await setDisk(diskId, { hourly: { minute: 0, keep: 9 }, snapshot_type: 'incremental' })
    for (const hour of [1, 2, 3]) await until(hour)
    await setDisk(diskId, { hourly: { minute: 0, keep: 1 }, snapshot_type: 'incremental' })
    await desk.pass(5 * minuteMs)
    // Not before the next one is ready.
    expect(await desk.diskSnapshots()).toHaveLength(3)
    await until(4)
    await desk.pass(30 * minuteMs)
    const left = await desk.diskSnapshots()
    expect(left.map(({ name }) => name)).toEqual(['hourly 2026-11-21 04:00'])
    expect(left[0]).toMatchObject({ parent_id: null, status: 'ready' })
    expect(await getDisk(diskId)).toMatchObject({ not_deleted: null })
  })

  it('that something stands on are kept, which is told, and go later', async () => {
    const { desk, get, until, names, vmId } = await scheduled({ hourly: { minute: 0, keep: 1 } })
    await until(1)
    const [first] = await desk.vmSnapshots()
    const group = { name: 'g', template_id: 'starter', ssh_key_id: desk.keyId, snapshot_id: first?.id }
    const url = `/api/projects/${desk.params.projectId}/vmsets`
    const answer = await desk.ada.raw('POST', url, { ...group, replicas: 1 })
    expect(answer.status).toBe(201)
    await until(2)
    expect(await names()).toHaveLength(2)
    expect(await get(vmId)).toMatchObject({
      not_deleted: 'Snapshot is in use. Please try again later.',
    })
    await desk.ada.raw('DELETE', `${url}/${(answer.body as { id: string }).id}`)
    await desk.pass(15 * minuteMs)
    expect(await names()).toEqual(['hourly 2026-11-21 02:00'])
    expect(await get(vmId)).toMatchObject({ not_deleted: null })
  })
})

describe('a snapshot that cannot be taken', () => {
  it('is missed with the sentence of the single call, and the next one is tried', async () => {
    const { get, until, names, told, iso, vmId } = await scheduled(
      { hourly },
      { projectQuota: { snapshot_bytes: 0 } },
    )
    await until(1)
    expect(await names()).toEqual([])
    const reason = expect.stringMatching(/snapshot space/)
    expect(await get(vmId)).toMatchObject({
      next_at: iso(2),
      last: { due_at: iso(1), outcome: 'missed', snapshot_id: null, message: reason },
      missed: { count: 1, since: iso(1), until: iso(1), reason },
    })
    await until(2)
    expect(await get(vmId)).toMatchObject({ missed: { count: 2, since: iso(1), until: iso(2) } })
    expect((await told()).slice(1)).toMatchObject([
      { kind: 'failure', object_id: vmId, message: 'A scheduled snapshot of VM web was missed', reason },
      { kind: 'failure' },
    ])
  })

  it('because the VM is in a state for which there is none', async () => {
    const { desk, get, until, vmId } = await scheduled({ hourly })
    await desk.act('suspend', vmId)
    await desk.pass()
    await until(1)
    expect(await get(vmId)).toMatchObject({
      last: { outcome: 'missed', message: 'VM must be running or stopped to create a snapshot.' },
    })
    await desk.act('start', vmId)
    await until(2)
    expect(await get(vmId)).toMatchObject({ last: { outcome: 'ready' }, missed: { count: 1 } })
  })
})

describe('days on which not all goes well', () => {
  it('nothing is taken or deleted in a project that is frozen, and then it goes on', async () => {
    const { desk, set, get, until } = await schedules()
    // Whoever is deleting their account does not get to see it.
    const names = () => desk.app.db.selectFrom('vm_snapshot').select('name').execute()
    const vmId = await desk.runningVm('web')
    await set(vmId, { hourly: { minute: 0, keep: 1 } })
    await until(1)
    const before = await names()
    const { id } = (await desk.ada.call(accountApi.me)).body
    const times = { requested_at: '2026-01-01T00:00:00.000Z', delete_at: '2126-01-01T00:00:00.000Z' }
    await desk.app.db
      .insertInto('account_deletion')
      .values({ account_id: id, ...times })
      .execute()
    await until(2)
    expect(await names()).toEqual(before)
    await desk.app.db.deleteFrom('account_deletion').execute()
    const reason = mayWhileFrozen({ id: 'vmSnapshot.create', method: 'POST' })
    expect(await get(vmId)).toMatchObject({ last: { outcome: 'missed' }, missed: { count: 1, reason } })
    await until(3)
    expect(await get(vmId)).toMatchObject({ last: { outcome: 'ready' } })
  })

  /** As a server finds a schedule after it was off since a due time. */
  const wasOffSince = (desk: Desk, next_at: string) =>
    desk.app.db.updateTable('snapshot_schedule').set({ next_at, counted_at: next_at }).execute()

  it('a server that was off makes up for the last one, and says how many were missed', async () => {
    const { desk, get, until, names, told, iso, vmId } = await scheduled({ daily })
    await wasOffSince(desk, iso(3, 0, -2))
    await desk.app.restart()
    await until(1)
    expect(await names()).toEqual(['daily 2026-11-20 03:00'])
    expect(await get(vmId)).toMatchObject({
      next_at: iso(3),
      last: { due_at: iso(3, 0, -1), outcome: 'ready' },
      missed: { count: 1, since: iso(3, 0, -2), reason: 'The server was not running at that time.' },
    })
    expect((await told()).slice(1)).toMatchObject([
      { message: 'A scheduled snapshot of VM web was missed', actor_id: null },
    ])
  })

  it('a change of the schedule loses nothing that is due in that moment', async () => {
    const { desk, set, get, until, names, iso, vmId } = await scheduled({ daily })
    await wasOffSince(desk, iso(3, 0, -1))
    await set(vmId, { daily: { time: '03:00', keep: 2 } })
    await until(1)
    expect(await names()).toEqual(['daily 2026-11-20 03:00'])
    expect(await get(vmId)).toMatchObject({ next_at: iso(3), missed: null })
  })

  it('whoever is killed before all of it is stored has done nothing, and it is done then', async () => {
    const { desk, get, until, names, vmId } = await scheduled({ hourly })
    const allow = await refuse(desk.app.db, 'update', 'snapshot_schedule')
    const before = await get(vmId)
    await until(1)
    expect(await names()).toEqual([])
    expect(await get(vmId)).toEqual(before)
    await allow()
    await desk.pass(2 * minuteMs)
    expect(await names()).toEqual(['hourly 2026-11-21 01:00'])
    expect(await get(vmId)).toMatchObject({ missed: null })
  })

  it('a server that is started again in the middle takes each once', async () => {
    const { desk, until, names } = await scheduled({ hourly })
    await until(0, 57)
    await desk.app.clock.advance(200)
    // With the snapshot asked for, and nothing done for it yet.
    await desk.app.restart()
    await desk.app.restart()
    await desk.pass(3 * minuteMs)
    expect(await names()).toEqual(['hourly 2026-11-21 01:00'])
  })

  it('of two servers that see it due, one takes it', async () => {
    const { desk, get, until, names, vmId } = await scheduled({ hourly })
    await desk.app.serverBeside()
    await until(0, 50)
    const repo = makeSnapshotScheduleRepo(desk.app.db)
    const nowMs = desk.app.clock.now()
    const [seen] = await repo.due(nowMs + hourMs)
    if (!seen) throw new Error('it is due')
    await until(1)
    const after = await get(vmId)
    const outcome = { dueAt: nowMs, snapshotId: null, refusal: 'No.', missed: [nowMs], reason: 'No.' }
    const late = repo.settleWithout(seen, { nextAt: nowMs, nowMs }, outcome, [])
    await expect(late).rejects.toThrow(Overtaken)
    expect(await get(vmId)).toEqual(after)
    expect(await names()).toEqual(['hourly 2026-11-21 01:00'])
  })

  it('a clock that is set forward takes one, and goes on when it is put right', async () => {
    const { desk, get, until, names, iso, vmId } = await scheduled({ hourly })
    const { clock } = desk.app
    const real = clock.now()
    clock.set(real + 8 * hourMs)
    await desk.pass(5 * minuteMs)
    expect(await names()).toHaveLength(1)
    expect(Date.parse((await get(vmId)).next_at ?? '')).toBeGreaterThan(real + 7 * hourMs)
    clock.set(real + 5 * minuteMs)
    await desk.pass(5 * minuteMs)
    expect(await get(vmId)).toMatchObject({ next_at: iso(1) })
    await until(1)
    expect(await names()).toHaveLength(2)
  })

  it('a clock that is set back takes none again', async () => {
    const { desk, get, until, names, iso, vmId } = await scheduled({ hourly })
    await until(1)
    const { clock } = desk.app
    clock.set(clock.now() - 40 * dayMs)
    await desk.pass(5 * minuteMs)
    expect(await names()).toEqual(['hourly 2026-11-21 01:00'])
    // The time before goes on for a day, and is believed for so long.
    expect(await get(vmId)).toMatchObject({ next_at: iso(2) })
  })

  it('one that cannot be followed holds up no others', async () => {
    const { desk, set, until } = await schedules()
    const [broken, web] = [await desk.runningVm('broken'), await desk.runningVm('web')]
    await set(broken, { hourly })
    await set(web, { hourly })
    await desk.app.db
      .updateTable('snapshot_schedule')
      .set({ time_zone: 'Europe/Atlantis' })
      .where('vm_id', '=', broken)
      .execute()
    await until(1)
    expect((await desk.vmSnapshots()).map(({ vm_name }) => vm_name)).toEqual(['web'])
  })
})

it('the data of an account have its schedules', async () => {
  const { desk, set, setDisk } = await schedules()
  const [vmId, diskId] = [await desk.runningVm('web'), await desk.readyDisk()]
  await set(vmId, { daily })
  await setDisk(diskId, { hourly })
  const { body } = await desk.ada.raw('GET', '/api/user/export')
  const [project] = (body as { projects: { snapshot_schedules: unknown[] }[] }).projects
  expect(project?.snapshot_schedules).toMatchObject([
    { vm_id: vmId, daily },
    { disk_id: diskId, hourly },
  ])
})
