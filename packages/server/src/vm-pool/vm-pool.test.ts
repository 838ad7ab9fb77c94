import { activityApi, projectApi, type ScalingPolicy, VmPool } from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { EngineError } from '../engine/engine.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

const quick: ScalingPolicy = {
  sample_every_s: 5,
  up_above: 75,
  up_after_s: 20,
  down_below: 20,
  down_after_s: 30,
  pause_s: 20,
}

async function desk(options?: TestAppOptions) {
  const shop = await groupDesk(options)
  const remove = (id: string) => shop.pools.remove(id, true)
  return { ...shop, ...shop.pools, remove, settle: shop.pass }
}

const namesOf = (pool: { vms: { name: string }[] }) => pool.vms.map(({ name }) => name)

const minimumTooLarge = 'Minimum size cannot be greater than maximum size.'
const desiredOutside = 'Desired size must be between minimum and maximum size.'

describe('creating a pool', () => {
  it('201 answers with the status scaling, then its VMs run and it is active', async () => {
    const { create, get, settle, app, vms } = await desk()
    const answer = await create({ name: ' web ', description: 'Front', desired_size: 2, max_size: 4 })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(VmPool.shape).sort())
    expect(answer.body).toMatchObject({
      name: 'web',
      description: 'Front',
      status: 'scaling',
      current_size: 0,
      desired_size: 2,
      min_size: 1,
      max_size: 4,
      auto_scaling: true,
      persistent: true,
    })
    await settle()
    const pool = await get(answer.body.id)
    expect(pool).toMatchObject({ status: 'active', status_message: null, current_size: 2 })
    expect(namesOf(pool)).toEqual(['web-1', 'web-2'])
    for (const vm of pool.vms)
      expect(vm).toMatchObject({ status: 'running', vmpool_id: pool.id, vmset_id: null })
    // They are VMs like any other (catalogue G-020).
    expect((await vms()).map(({ name }) => name)).toEqual(['web-1', 'web-2'])
    expect((await app.engine.list()).size).toBe(2)
  })

  it('201 takes the defaults 1, 1, 3, persistent and auto scaling', async () => {
    const { create } = await desk()
    expect((await create()).body).toMatchObject({
      min_size: 1,
      desired_size: 1,
      max_size: 3,
      persistent: true,
      auto_scaling: true,
      disks: [],
    })
  })

  it('gives every VM disks of its own, named after it and in Gi', async () => {
    const { made, app, disks } = await desk()
    const pool = await made({ desired_size: 2, disks: [{ name: 'data', size: '20GB', source: 'EMPTY' }] })
    expect(pool.disks).toEqual([{ name: 'data', size: '20Gi', source: 'EMPTY' }])
    const all = await disks()
    expect(
      all.map(({ name, size, status, deleted_with_vm }) => [name, size, status, deleted_with_vm]),
    ).toEqual([
      ['data-1', '20Gi', 'attached', true],
      ['data-2', '20Gi', 'attached', true],
    ])
    expect(pool.vms.map((vm) => vm.disks.map(({ name }) => name))).toEqual([['data-1'], ['data-2']])
    expect(app.engine.volumesOf(pool.vms[0]?.id ?? '')).toEqual([all[0]?.id])
  })

  it.each([
    [{ name: ' ' }, 'Please enter a VM Pool name.', 'name'],
    [{ ssh_key_id: '' }, 'Please select an SSH key for secure access.', 'ssh_key_id'],
    [{ ssh_key_id: 'nobodys' }, 'Please select an SSH key for secure access.', 'ssh_key_id'],
    [{ template_id: '' }, 'Please select a template.', 'template_id'],
    [{ template_id: 'no-such' }, 'Please select a template.', 'template_id'],
    [{ min_size: 4 }, minimumTooLarge, 'max_size'],
    [{ min_size: 2, desired_size: 1 }, desiredOutside, 'desired_size'],
    [{ desired_size: 4 }, desiredOutside, 'desired_size'],
    [{ min_size: 0, desired_size: 0 }, desiredOutside, 'desired_size'],
    [{ disks: [{ name: ' ', size: '1Gi' }] }, 'Please enter a name for disk #1', 'disks'],
    [{ disks: [{ name: 'a', size: '1Gi' }, { name: 'b' }] }, 'Please enter a size for disk #2', 'disks'],
    [{ disks: [{ name: 'a', size: 'much' }] }, 'Please enter a valid disk size', 'disks'],
  ])('400 for %j says which field and why, and makes nothing', async (change, message, field) => {
    const { create, list } = await desk()
    expect(await create(change)).toMatchObject({
      status: 400,
      body: { message, fields: { [field]: message } },
    })
    expect(await list()).toEqual([])
  })

  it('400 tells the first broken rule in the order of the form', async () => {
    const { create } = await desk()
    const wrong = { name: '', ssh_key_id: '', template_id: '', min_size: 5, desired_size: 9 }
    const order = []
    for (const [field, value] of Object.entries({
      name: 'web',
      ssh_key_id: 'x',
      template_id: 'starter',
      min_size: 1,
      desired_size: 1,
    })) {
      order.push((await create({ ...wrong, disks: [{ name: '' }] })).body)
      Object.assign(wrong, { [field]: value })
    }
    expect(order.map((body) => (body as unknown as { message: string }).message)).toEqual([
      'Please enter a VM Pool name.',
      'Please select an SSH key for secure access.',
      'Please select a template.',
      minimumTooLarge,
      desiredOutside,
    ])
  })

  it('409 when the project has no room for its VMs', async () => {
    const { create, createVm } = await desk({ maxVmsPerProject: 3 })
    await createVm('alone')
    expect(await create({ desired_size: 3 })).toMatchObject({
      status: 409,
      body: {
        message:
          'This project uses 1 of its 3 VMs, and 3 more are requested. Delete VMs, or ask an administrator for a higher limit.',
      },
    })
  })
})

describe('changing a pool', () => {
  it('200 grows and shrinks it: the newest shuts down and goes, with its disk', async () => {
    const { get, made, resize, history, settle, app, disks } = await desk()
    const pool = await made({ desired_size: 2, disks: [{ name: 'data', size: '1Gi' }] })
    expect(await resize(pool.id, 3)).toMatchObject({
      status: 200,
      body: { status: 'scaling', desired_size: 3, current_size: 2 },
    })
    await settle()
    expect(namesOf(await get(pool.id))).toEqual(['web-1', 'web-2', 'web-3'])
    await resize(pool.id, 1)
    await settle(100)
    expect((await get(pool.id)).vms.map(({ status }) => status)).toEqual(['running', 'stopping', 'stopping'])
    await settle(60_000)
    const smaller = await get(pool.id)
    expect(smaller).toMatchObject({ status: 'active', current_size: 1 })
    expect(namesOf(smaller)).toEqual(['web-1'])
    expect((await disks()).map(({ name }) => name)).toEqual(['data-1'])
    expect((await app.engine.list()).size).toBe(1)
    expect(await app.engine.listVolumes()).toHaveLength(1)
    const { events } = await history(pool.id)
    expect(events.map(({ message }) => message)).toContain('By Ada Lovelace: size 3 to 1')
  })

  it('takes a VM back that was to go, and tells only how it started then, not how it did before', async () => {
    const { get, made, resize, settle, app, act } = await desk()
    const pool = await made({ desired_size: 2 })
    const id = pool.vms[1]?.id ?? ''
    await act('suspend', id)
    await settle()
    // While the host cannot do away with its memory, it is still there.
    vi.spyOn(app.engine, 'powerOff').mockRejectedValueOnce(
      new EngineError('unreachable', 'No answer.', { retryable: true }),
    )
    await resize(pool.id, 1)
    await settle(1)
    await resize(pool.id, 2)
    await settle()
    const again = await get(pool.id)
    expect(again.vms.map((vm) => vm.id)).toEqual(pool.vms.map((vm) => vm.id))
    expect(again.vms[1]).toMatchObject({ status: 'running', steps: [{ name: 'resume' }, { name: 'ready' }] })
  })

  it('400 is checked on what the pool will be, and changes nothing', async () => {
    const { get, made, update } = await desk()
    const pool = await made({ desired_size: 2, max_size: 3 })
    for (const [change, message] of [
      [{ min_size: 3 }, desiredOutside],
      [{ min_size: 5 }, minimumTooLarge],
      [{ max_size: 1 }, desiredOutside],
      [{ desired_size: 1.5 }, expect.any(String)],
      [{ desired_size: 'many' }, expect.any(String)],
    ])
      expect(await update(pool.id, change)).toMatchObject({ status: 400, body: { message } })
    expect(await get(pool.id)).toMatchObject({ min_size: 1, desired_size: 2, max_size: 3 })
  })
})

describe('deleting a pool', () => {
  it('204 takes its VMs and their own disks along, and nothing else', async () => {
    const { made, remove, list, settle, app, vms, disks, createVm, readyDisk, attach } = await desk()
    const { body: other } = await createVm('alone')
    const kept = await readyDisk({ name: 'kept' })
    const pool = await made({ desired_size: 2, disks: [{ name: 'data', size: '1Gi' }] })
    await attach(kept, pool.vms[0]?.id)
    expect((await remove(pool.id)).status).toBe(204)
    expect(await list()).toEqual([])
    expect((await vms()).map(({ id }) => id)).toEqual([other.id])
    expect(await disks()).toMatchObject([{ id: kept, status: 'available', vm_id: null }])
    await settle()
    expect([...(await app.engine.list()).keys()]).toEqual([other.id])
    expect(await app.engine.listVolumes()).toEqual([kept])
    expect(await app.db.selectFrom('vm_group_event').selectAll().execute()).toEqual([])
    expect((await remove(pool.id)).status).toBe(404)
  })

  it('409 while a snapshot of a VM is being made; a snapshot that is ready survives', async () => {
    const { made, remove, settle, snapshotVm, vmSnapshots } = await desk()
    const pool = await made()
    await snapshotVm(pool.vms[0]?.id ?? '')
    expect(await remove(pool.id)).toMatchObject({
      status: 409,
      body: { message: 'A VM of this VM Pool is in use by a snapshot or restore. Please try again later.' },
    })
    await settle()
    expect((await remove(pool.id)).status).toBe(204)
    await settle()
    expect(await vmSnapshots()).toMatchObject([{ status: 'ready' }])
  })

  it('keeps the project from being deleted while it has VMs, and goes with it when it has none', async () => {
    const { made, app, ada, params } = await desk()
    const pool = await made()
    expect((await ada.call(projectApi.delete, { params })).status).toBe(409)
    await app.db.updateTable('vm').set({ wanted_deleted: 1, wanted_power: 'off' }).execute()
    expect((await ada.raw('DELETE', `/api/projects/${params.projectId}?for_good=true`)).status).toBe(204)
    expect(await app.db.selectFrom('vm_group').select('id').where('id', '=', pool.id).execute()).toEqual([])
  })
})

describe('a pool heals', () => {
  it('a deleted VM is replaced under its number', async () => {
    const { get, made, settle, deleteVm } = await desk()
    const pool = await made({ desired_size: 3 })
    await deleteVm(pool.vms[1]?.id ?? '')
    await settle()
    const healed = await get(pool.id)
    expect(healed).toMatchObject({ status: 'active', current_size: 3 })
    expect(namesOf(healed).sort()).toEqual(['web-1', 'web-2', 'web-3'])
    expect(healed.vms.map(({ id }) => id)).not.toContain(pool.vms[1]?.id)
  })

  it('a dead VM without a root disk of its own is replaced; a persistent one is started again with its disks', async () => {
    const { get, made, history, settle, app } = await desk()
    const crash = { how: 'crashed', reason: 'The guest stopped unexpectedly.' } as const
    const throwaway = await made({ persistent: false })
    const [one] = throwaway.vms
    app.engine.endRun(one?.id ?? '', crash)
    await settle()
    const replaced = await get(throwaway.id)
    expect(replaced).toMatchObject({ status: 'active', current_size: 1 })
    expect(replaced.vms[0]?.id).not.toBe(one?.id)

    const keeping = await made({ name: 'db', persistent: true })
    const [other] = keeping.vms
    app.engine.poke({ machineId: other?.id ?? '' }, 'precious')
    app.engine.endRun(other?.id ?? '', crash)
    await settle()
    const healed = await get(keeping.id)
    expect(healed).toMatchObject({ status: 'active', current_size: 1 })
    expect(healed.vms[0]?.id).toBe(other?.id)
    expect(app.engine.peek({ machineId: other?.id ?? '' })).toBe('precious')
    expect((await history(keeping.id)).events[0]).toMatchObject({
      kind: 'member_restarted',
      message: expect.stringContaining('"db-1" is restarting with its disks. The guest stopped'),
    })
  })

  it('says why when its VMs cannot be created, tries again with growing pauses, and leaves the error by itself', async () => {
    const { create, get, history, settle, withoutImage } = await desk()
    const repaired = withoutImage()
    const { body } = await create({ desired_size: 2 })
    await settle()
    const stuck = await get(body.id)
    expect(stuck).toMatchObject({ status: 'error', current_size: 0, vms: [] })
    expect(stuck.status_message).toMatch(
      /^3 VMs in a row could not be created\. The last error: .*It is being repaired\..*in a minute\.$/,
    )
    await settle(45_000)
    expect((await history(body.id)).events.filter(({ kind }) => kind === 'failed')).toHaveLength(1)
    repaired()
    await settle(120_000)
    expect(await get(body.id)).toMatchObject({ status: 'active', status_message: null, current_size: 2 })
    await settle(60_000)
    expect((await history(body.id)).events.map(({ kind }) => kind)).toContain('recovered')
  })

  it('that cannot create its VMs says so once, however often it tries', async () => {
    const { create, get, history, settle, ada, params, withoutImage } = await desk()
    withoutImage()
    const { body } = await create({ desired_size: 2 })
    await settle()
    const told = async () => ({
      activity: (await ada.call(activityApi.ofProject, { params })).body.entries,
      events: (await history(body.id)).events,
    })
    const before = await told()
    await settle(20 * 60_000)
    const tries = Number((await get(body.id)).status_message?.match(/^(\d+) VMs in a row/)?.[1])
    expect(tries).toBeGreaterThan(4)
    expect(await told()).toEqual(before)
  })

  it('is an error while the host has no room, and goes on when there is some', async () => {
    const { create, get, resize, settle } = await desk({ hostMemoryMb: 400 })
    const { body } = await create({ desired_size: 2, max_size: 2 })
    await settle(20_000)
    const waiting = await get(body.id)
    expect(waiting.status).toBe('scaling')
    expect(waiting.status_message).toMatch(/^1 of 2 VMs created\. web-2: Needs 256 MB of memory/)
    await settle(90_000)
    const short = await get(body.id)
    expect(short.status).toBe('error')
    expect(short.status_message).toMatch(/^Not enough memory for "web-2"\. Needs 256 MB of memory/)
    await resize(body.id, 1)
    await settle()
    expect(await get(body.id)).toMatchObject({ status: 'active', current_size: 1 })
  })

  it('a VM whose disk cannot be made is not started without it', async () => {
    const { create, get, settle } = await desk()
    const { body } = await create({ disks: [{ name: 'fault-space', size: '1000Gi' }] })
    await settle()
    const pool = await get(body.id)
    for (const vm of pool.vms) expect(vm.disks).toHaveLength(1)
  })
})

describe('a disk of a member', () => {
  it('becomes an ordinary disk when it is taken off, and outlives the pool', async () => {
    const { made, remove, settle, disks, detach } = await desk()
    const pool = await made({ disks: [{ name: 'data', size: '1Gi' }] })
    const [disk] = await disks()
    const answer = await detach(disk?.id ?? '')
    expect(answer.body).toMatchObject({ status: 'available', deleted_with_vm: false })
    await remove(pool.id)
    await settle()
    expect(await disks()).toMatchObject([{ status: 'available' }])
  })

  it('goes with its VM when that is deleted by hand', async () => {
    const { made, settle, app, disks, deleteVm } = await desk(withoutBin)
    const pool = await made({ disks: [{ name: 'data', size: '1Gi' }] })
    const [before] = await disks()
    await deleteVm(pool.vms[0]?.id ?? '')
    await settle()
    const after = await disks()
    expect(after.map(({ name }) => name)).toEqual(['data-1'])
    expect(after[0]?.id).not.toBe(before?.id)
    expect(await app.engine.listVolumes()).toEqual([after[0]?.id])
  })

  it('comes back with its VM, which is part of no pool any more', async () => {
    const { get, made, settle, app, disks, vm, deleteVm, restoreItem } = await desk()
    const start_script = '#!/bin/sh\ntrue\n'
    const pool = await made({ disks: [{ name: 'data', size: '1Gi' }], start_script })
    const vmId = pool.vms[0]?.id ?? ''
    const own = (await disks())[0]?.id
    await deleteVm(vmId)
    await settle()
    const [other] = (await get(pool.id)).vms
    expect(other?.id).not.toBe(vmId)
    expect((await restoreItem(vmId)).status).toBe(200)
    await settle()
    expect((await get(pool.id)).vms.map(({ id }) => id)).toEqual([other?.id])
    expect(await vm(vmId)).toMatchObject({ vmpool_id: null, status: 'running', disks: [{ disk_id: own }] })
    expect(
      await app.db.selectFrom('vm_start_script').select('script').where('vm_id', '=', vmId).execute(),
    ).toEqual([{ script: start_script }])
  })
})

describe('auto scaling', () => {
  const busy = (options: TestAppOptions = {}) => desk({ scaling: quick, ...options })

  it('load adds VMs up to the maximum, idleness removes them down to the minimum, each step with its numbers', async () => {
    const { get, made, history, settle, app } = await busy()
    const pool = await made({ min_size: 1, desired_size: 1, max_size: 3 })
    const work = async (percent: number) => {
      for (const vm of (await get(pool.id)).vms) {
        if (vm.status === 'running') app.engine.setLoad(vm.id, percent)
      }
    }
    await work(90)
    await settle(40_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 2, current_size: 2 })
    for (let i = 0; i < 10; i++) {
      await work(90)
      await settle(20_000)
    }
    expect(await get(pool.id)).toMatchObject({ desired_size: 3, current_size: 3, status: 'active' })
    expect((await history(pool.id)).verdict).toBe(
      'CPU 90 %, above 75 %, but the pool is at its maximum of 3.',
    )
    await work(3)
    await settle(300_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 1, current_size: 1 })
    const { events, samples, policy } = await history(pool.id)
    const steps = events.filter(({ kind }) => kind === 'scaled')
    expect(steps.map(({ from_size, to_size }) => [from_size, to_size])).toEqual([
      [2, 1],
      [3, 2],
      [2, 3],
      [1, 2],
    ])
    expect(steps.at(-1)?.message).toBe('CPU 90 % over 20 s, above 75 %: 1 to 2')
    expect(steps[0]?.message).toBe('CPU 3 % over 30 s, below 20 %: 2 to 1')
    expect(policy).toEqual(quick)
    expect(samples.at(-1)).toMatchObject({ current_size: 1, desired_size: 1 })
    expect(samples.some(({ cpu }) => cpu !== null && cpu > 80)).toBe(true)
  })

  it('goes on after an engine did not answer', async () => {
    const { made, history, settle, app } = await busy()
    const pool = await made({ auto_scaling: false })
    const { usage } = app.engine
    app.engine.usage = () => new Promise(() => {})
    await settle(10_000)
    app.engine.usage = usage
    const before = (await history(pool.id)).samples.length
    await settle(60_000)
    expect((await history(pool.id)).samples.length).toBeGreaterThan(before)
  })

  it('does nothing when it is off, but still measures', async () => {
    const { get, made, history, settle, app } = await busy()
    const pool = await made({ auto_scaling: false })
    app.engine.setLoad(pool.vms[0]?.id ?? '', 95)
    await settle(100_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 1 })
    const { verdict, samples } = await history(pool.id)
    expect(verdict).toBe(null)
    expect(samples.at(-1)?.cpu).toBe(95)
  })

  it('holds and says so when the use of a VM is not known', async () => {
    const { get, made, history, settle, app } = await busy()
    const pool = await made()
    app.engine.setLoad(pool.vms[0]?.id ?? '', 95)
    app.engine.silence(pool.vms[0]?.id ?? '', true)
    await settle(100_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 1 })
    expect((await history(pool.id)).verdict).toBe(
      'The CPU usage of the running VMs is unknown, so the pool is not scaled.',
    )
  })

  it('waits while the pool is not settled', async () => {
    const { get, made, history, settle, app } = await busy({ hostMemoryMb: 400 })
    const pool = await made({ max_size: 5 })
    app.engine.setLoad(pool.vms[0]?.id ?? '', 95)
    await settle(200_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 2, current_size: 2, status: 'error' })
    expect((await history(pool.id)).verdict).toBe(
      'The pool has not reached its desired size yet, so it is not scaled.',
    )
  })

  it('keeps its pause over a restart of the server', async () => {
    const { get, made, settle, app } = await busy({ scaling: { ...quick, pause_s: 600 } })
    const pool = await made({ max_size: 5 })
    app.engine.setLoad(pool.vms[0]?.id ?? '', 95)
    await settle(60_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 2 })
    await app.restart()
    for (const vm of (await get(pool.id)).vms) app.engine.setLoad(vm.id, 95)
    await settle(300_000)
    expect(await get(pool.id)).toMatchObject({ desired_size: 2 })
    await settle(400_000)
    expect((await get(pool.id)).desired_size).toBeGreaterThan(2)
  })
})

describe('whoever watches a project', () => {
  it('is told of every change of its pools and sets', async () => {
    const { create, remove, settle, app, params, sets } = await desk()
    const heard: [string, unknown][] = []
    const end = app.subscribe(params.projectId, (event, data) => heard.push([event, data]))
    const { body: pool } = await create()
    const { body: set } = await sets.create({ replicas: 1 })
    await settle()
    await remove(pool.id)
    await app.idle()
    end()
    const words = (event: string) =>
      heard.filter(([name]) => name === event).map(([, data]) => Object(data) as { status?: string })
    expect(words('vm_pool').map(({ status }) => status)).toEqual(
      expect.arrayContaining(['scaling', 'active']),
    )
    expect(words('vm_pool').at(-1)).toEqual({ id: pool.id, project_id: params.projectId, deleted: true })
    expect(words('vm_set').at(-1)).toMatchObject({ id: set.id, status: 'active' })
  })
})

describe('a server that is killed while a pool scales', () => {
  it.each([0, 1, 2, 3, 5, 8, 13, 21, 34, 55])('never doubles or loses a VM (moment %i)', async (moment) => {
    const { create, get, resize, settle, app } = await desk({ startsAtOnce: 2 })
    const { body } = await create({ desired_size: 5, max_size: 9, disks: [{ name: 'd', size: '1Gi' }] })
    await app.clock.advance(moment * 137)
    await app.restart()
    await resize(body.id, 8)
    await app.clock.advance(moment * 211)
    await app.restart()
    await resize(body.id, 3)
    await app.clock.advance(moment * 97)
    await app.restart()
    await settle(120_000)
    const pool = await get(body.id)
    expect(pool).toMatchObject({ status: 'active', current_size: 3 })
    expect(new Set(namesOf(pool)).size).toBe(3)
    expect((await app.engine.list()).size).toBe(3)
    expect(await app.engine.listVolumes()).toHaveLength(3)
  })
})
