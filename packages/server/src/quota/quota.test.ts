// @module-tag both-databases
import {
  type DiskCreate,
  gibibyte,
  projectApi,
  projectBinApi,
  type QuotaResource,
  quotaApi,
  shareApi,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import type { Answer, TestAppOptions } from '../app.test-kit.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

/** The template of these tests, so that figures do not hang on the catalogue. */
const cpu = 2
const memory_mb = 1024

async function quotaDesk(options?: TestAppOptions) {
  const desk = await groupDesk(options)
  const { ada, params, pools } = desk
  const template = await ada.raw('POST', '/api/admin/templates', {
    name: 'Small',
    description: 'Two processors',
    default_cpu: cpu,
    default_memory_mb: memory_mb,
  })
  // The body of a template that was created.
  const fields = { template_id: (template.body as { id: string }).id, ssh_key_id: desk.keyId }
  const quota = async () => (await ada.call(quotaApi.ofProject, { params })).body
  return {
    ...desk,
    fields,
    quota,
    /** What is used of the project. */
    async used() {
      const { project } = await quota()
      return Object.fromEntries(Object.entries(project).map(([name, line]) => [name, line.used]))
    },
    vmNamed: (name: string, more: object = {}) =>
      ada.call(vmApi.create, { params, body: { ...fields, name, ...more } }),
    pool: (desired_size: number, more: object = {}) =>
      pools.create({
        ...fields,
        name: 'pool',
        min_size: 0,
        max_size: 20,
        auto_scaling: false,
        desired_size,
        ...more,
      }),
    set: (replicas: number, more: object = {}) =>
      desk.sets.create({ ...fields, name: 'set', replicas, ...more }),
    /** Sets a limit of the account, as an operator does. */
    async limit(resource: QuotaResource, amount: number | null) {
      const { id } = await desk.app.db
        .selectFrom('account')
        .select('id')
        .where('email', '=', ada.email)
        .executeTakeFirstOrThrow()
      await desk.app.db.deleteFrom('quota').where('resource', '=', resource).execute()
      await desk.app.db.insertInto('quota').values({ account_id: id, resource, amount }).execute()
    },
  }
}

const refused = (text: RegExp) => ({ status: 409, body: { message: expect.stringMatching(text) } })
const tally = (answers: readonly Answer[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, all]) => [
      status,
      all?.length,
    ]),
  )
const times = <T>(count: number, act: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => act(i))

describe('a quota holds', () => {
  it('exactly when 50 VMs are created at once and 10 may be', async () => {
    const desk = await quotaDesk({ accountQuota: { vms: 10 } })
    const answers = await Promise.all(times(50, (i) => desk.vmNamed(`vm-${i}`)))
    expect(tally(answers)).toEqual({ 201: 10, 409: 40 })
    expect(await desk.used()).toMatchObject({ vms: 10, processors: 10 * cpu, memory_mb: 10 * memory_mb })
  })

  it('when VMs, pools, sets and copies are created at once', async () => {
    const desk = await quotaDesk({ projectQuota: { vms: 10 } })
    const answers = await Promise.all([
      ...times(10, (i) => desk.vmNamed(`vm-${i}`)),
      ...times(10, () => desk.pool(2)),
      ...times(10, () => desk.set(3)),
    ])
    const sizes = [...times(10, () => 1), ...times(10, () => 2), ...times(10, () => 3)]
    const taken = sizes.filter((_, i) => answers[i]?.status === 201).reduce((sum, size) => sum + size, 0)
    expect(taken).toBeLessThanOrEqual(10)
    await desk.pass()
    // All that was promised came, and nothing else.
    expect(await desk.used()).toMatchObject({ vms: taken })
    expect(await desk.vms()).toHaveLength(taken)
  })

  it('for all projects of an account together', async () => {
    const desk = await quotaDesk({ accountQuota: { vms: 3 }, projectQuota: { vms: 2 } })
    const { body: other } = await desk.ada.call(projectApi.create, { body: { name: 'other' } })
    for (const name of ['a', 'b']) expect((await desk.vmNamed(name)).status).toBe(201)
    expect(await desk.vmNamed('c')).toMatchObject(refused(/^This project uses 2 of its 2 VMs/))
    const there = (name: string) =>
      desk.ada.call(vmApi.create, { params: { projectId: other.id }, body: { ...desk.fields, name } })
    expect((await there('c')).status).toBe(201)
    expect(await there('d')).toMatchObject(refused(/^The account that owns this project uses 3 of its 3 VMs/))
    // Others have limits of their own.
    const bob = await desk.app.signedIn('Bob')
    expect((await bob.call(quotaApi.ofAccount)).body).toMatchObject({ vms: { used: 0, limit: 3 } })
  })
})

describe('each limit is checked where it is taken', () => {
  it.each([
    ['vms', 2, /uses 2 of its 2 VMs, and 1 more is requested\. Delete VMs/],
    ['processors', 2 * cpu, /uses 4 of its 4 processors, and 2 more are requested\. Delete VMs/],
    [
      'memory_mb',
      2 * memory_mb,
      /uses 2.0 GB of its 2.0 GB of memory, and 1.0 GB more is requested\. Delete VMs/,
    ],
  ] as const)('%s: a VM, a pool, a set, a fork and a VM of a snapshot', async (resource, limit, sentence) => {
    const desk = await quotaDesk()
    const { ada, at, pools } = desk
    const { body: vm } = await desk.vmNamed('one')
    const { body: pool } = await desk.pool(1)
    await desk.pass()
    const { body: snapshot } = await desk.snapshotVm(vm.id)
    await desk.pass()
    await desk.limit(resource, limit)
    const body = { name: 'more' }
    const tries = [
      desk.vmNamed('more'),
      desk.pool(1),
      pools.resize(pool.id, 2),
      desk.set(1),
      ada.call(vmApi.fork, { ...at('vmId', vm.id), body }),
      ada.call(vmSnapshotApi.createVms, { ...at('snapshotId', snapshot.id), body }),
    ]
    for (const answer of await Promise.all(tries as Promise<Answer>[]))
      expect(answer).toMatchObject(refused(sentence))
    // What takes no more is allowed.
    expect((await pools.resize(pool.id, 1)).status).toBe(200)
  })

  it('disk space: a disk, a disk of a snapshot, a pool with disks, a fork of a VM with disks', async () => {
    const desk = await quotaDesk({ projectQuota: { disk_bytes: 10 * gibibyte } })
    const disk = (size: string, more: Partial<DiskCreate> = {}) => desk.createDisk({ size, ...more })
    const { body: data } = await disk('6Gi')
    await desk.pass()
    const text = /uses 6 GB of its 10 GB of disk space, and 5 GB more is requested\. Delete disks/
    expect(await disk('5Gi')).toMatchObject(refused(text))
    expect(await disk('5Gi', { source: 'HTTP', image_url: 'https://x.test/a.img' })).toMatchObject(
      refused(text),
    )
    const { body: snapshot } = await desk.snapshotDisk(data.id)
    await desk.pass()
    expect(await desk.diskFrom(snapshot.id, { name: 'x', size_gb: 6 })).toMatchObject(
      refused(/and 6 GB more/),
    )
    const disks = [{ name: 'state', size: '3Gi', source: 'EMPTY' }]
    expect(await desk.pool(2, { disks })).toMatchObject(refused(/and 6 GB more/))
    const { body: vm } = await desk.vmNamed('web', { disks: [{ disk_id: data.id }] })
    await desk.pass()
    const fork = desk.ada.call(vmApi.fork, { ...desk.at('vmId', vm.id), body: { name: 'f' } })
    expect(await fork).toMatchObject(refused(/and 6 GB more/))
    expect((await disk('4Gi')).status).toBe(201)
    expect(await desk.used()).toMatchObject({ disk_bytes: 10 * gibibyte })
  })

  it('snapshot space: until it is reached, and what is being made counts with all it may become', async () => {
    const desk = await quotaDesk({ projectQuota: { snapshot_bytes: gibibyte } })
    const disks = await Promise.all(times(3, () => desk.createDisk({ size: '1Gi' })))
    await desk.pass()
    const answers = await Promise.all(
      disks.map(({ body }, i) => desk.snapshotDisk(body.id, { name: `s${i}` })),
    )
    expect(tally(answers)).toEqual({ 201: 1, 409: 2 })
    expect(answers.find(({ status }) => status === 409)).toMatchObject(
      refused(/uses 1 GB of its 1 GB of snapshot space, and another snapshot is requested/),
    )
    await desk.pass()
    // It takes what it takes, by now.
    const { project } = await desk.quota()
    expect(project.snapshot_bytes.used).toBeLessThan(gibibyte)
    const { body: vm } = await desk.vmNamed('web')
    await desk.pass()
    expect((await desk.snapshotVm(vm.id)).status).toBe(201)
    await desk.pass()
    await desk.limit('snapshot_bytes', 1)
    expect(await desk.snapshotVm(vm.id)).toMatchObject(refused(/snapshot space/))
  })

  it('snapshot space: the memory of a large VM counts while a full snapshot of it is being made', async () => {
    const desk = await quotaDesk({ projectQuota: { snapshot_bytes: 100 * gibibyte } })
    const { body: vm } = await desk.vmNamed('web', { cpu: 4, memory_mb: 8192 })
    await desk.pass()
    const answer = await desk.snapshotVm(vm.id, { snapshot_type: 'full' })
    expect(answer).toMatchObject({ status: 201 })
    expect((await desk.quota()).project.snapshot_bytes.used).toBeGreaterThanOrEqual(8 * gibibyte)
  })

  it('shared ports: shared later, and with a new VM', async () => {
    const desk = await quotaDesk({ accountQuota: { shares: 2 } })
    const { body: vm } = await desk.vmNamed('web', { share_ports: [3000] })
    const share = (port: number) =>
      desk.ada.call(shareApi.create, { ...desk.at('vmId', vm.id), body: { port } })
    expect(await desk.vmNamed('two', { share_ports: [1, 2] })).toMatchObject(
      refused(/uses 1 of its 2 shared ports, and 2 more are requested\. Stop sharing a port/),
    )
    const tried = await Promise.all(times(8, (i) => share(4000 + i)))
    expect(tally(tried)).toEqual({ 201: 1, 409: 7 })
  })
})

describe('a quota is not gone around', () => {
  it('by a snapshot that comes back from the bin, whose size is known by then', async () => {
    const desk = await quotaDesk()
    const diskId = await desk.readyDisk({ size: '1Gi' })
    const first = await desk.readyDiskSnapshot(diskId, { name: 'first' })
    const row = await desk.app.db
      .selectFrom('disk_snapshot')
      .select('stored_bytes')
      .where('id', '=', first)
      .executeTakeFirstOrThrow()
    const bytes = Number(row.stored_bytes)
    await desk.limit('snapshot_bytes', Math.round(1.5 * bytes))
    await desk.deleteDiskSnapshot(first)
    await desk.readyDiskSnapshot(diskId, { name: 'second', snapshot_type: 'full' })
    expect(await desk.restoreItem(first)).toMatchObject(refused(/of snapshot space/))
    await desk.limit('snapshot_bytes', 2 * bytes)
    expect((await desk.restoreItem(first)).status).toBe(200)
    // A whole project as well.
    await desk.ada.call(projectApi.delete, { params: desk.params })
    await desk.limit('snapshot_bytes', bytes)
    expect(
      await desk.ada.call(projectBinApi.restore, { params: { itemId: desk.params.projectId } }),
    ).toMatchObject(refused(/of snapshot space/))
  })

  it('by restores one after the other: what a VM was is kept beyond the limit once, and then there has to be room', async () => {
    const desk = await quotaDesk()
    const vmId = await desk.stoppedVm('web')
    const snapshotId = await desk.readyVmSnapshot(vmId, { name: 's' })
    await desk.limit('snapshot_bytes', 1)
    const restore = () => desk.restore(snapshotId, vmId)
    expect((await restore()).status).toBe(202)
    await desk.pass(120_000)
    expect(await restore()).toMatchObject(refused(/of snapshot space, and another snapshot is requested/))
    const safety = (await desk.vmSnapshots()).find(({ automatic }) => automatic)?.id ?? ''
    await desk.deleteVmSnapshot(safety)
    expect((await restore()).status).toBe(202)
  })

  it('by a set that comes back with a disk that was to become larger', async () => {
    const desk = await quotaDesk({ accountQuota: { disk_bytes: 10 * gibibyte } })
    const { body: set } = await desk.set(1, { disks: [{ name: 'data', size: '2Gi' }] })
    await desk.pass()
    const next_size_bytes = 8 * gibibyte
    await desk.app.db.updateTable('disk').set({ next_size_bytes }).execute()
    await desk.sets.remove(set.id)
    expect((await desk.createDisk({ size: '4Gi' })).status).toBe(201)
    expect(await desk.restoreItem(set.id)).toMatchObject(refused(/of disk space/))
  })
})

describe('what is given back', () => {
  it('is there again when a deletion is accepted, before anything is removed', async () => {
    const desk = await quotaDesk({ projectQuota: { vms: 1, disk_bytes: gibibyte, shares: 1 } })
    const { body: vm } = await desk.vmNamed('web', { share_ports: [3000] })
    const { body: disk } = await desk.createDisk({ size: '1Gi' })
    await desk.pass()
    expect(await desk.used()).toMatchObject({ vms: 1, disk_bytes: gibibyte, shares: 1 })
    await desk.deleteVm(vm.id)
    await desk.deleteDisk(disk.id)
    expect(await desk.used()).toEqual({
      ...{ vms: 0, processors: 0, memory_mb: 0, disk_bytes: 0, snapshot_bytes: 0, shares: 0 },
      bin_bytes: gibibyte,
    })
    expect((await desk.vmNamed('again', { share_ports: [3000] })).status).toBe(201)
    expect((await desk.createDisk({ size: '1Gi' })).status).toBe(201)
  })

  it('is what a pool no longer is to have, as soon as its VMs go', async () => {
    const desk = await quotaDesk({ projectQuota: { vms: 4 } })
    const { body: pool } = await desk.pool(4)
    expect(await desk.used()).toMatchObject({ vms: 4 })
    expect(await desk.vmNamed('x')).toMatchObject(refused(/uses 4 of its 4 VMs/))
    await desk.pass()
    await desk.pools.resize(pool.id, 2)
    await desk.pass(120_000)
    expect(await desk.used()).toMatchObject({ vms: 2 })
    await desk.pools.remove(pool.id)
    expect(await desk.used()).toMatchObject({ vms: 0, processors: 0 })
  })

  it('does not count a disk that failed', async () => {
    const desk = await quotaDesk({ projectQuota: { disk_bytes: gibibyte } })
    const failing = { size: '1Gi', source: 'HTTP', image_url: 'https://x.test/fault-refused.img' }
    await desk.createDisk(failing)
    await desk.pass()
    expect(await desk.used()).toMatchObject({ disk_bytes: 0 })
  })
})

describe('a limit that was lowered', () => {
  it('leaves what there is, refuses more, and keeps a pool from growing, which says why', async () => {
    const desk = await quotaDesk({ startsAtOnce: 1 })
    const { body: pool } = await desk.pool(6)
    // Before all of them are there.
    await desk.limit('vms', 4)
    await desk.pass(120_000)
    const held = await desk.pools.get(pool.id)
    expect(held.vms).toHaveLength(4)
    expect(held.status_message).toMatch(
      /The account that owns this project uses 4 of its 4 VMs, and 1 more is requested/,
    )
    expect(await desk.vmNamed('x')).toMatchObject(refused(/uses 6 of its 4 VMs/))
    await desk.limit('vms', null)
    await desk.pass(20 * 60_000)
    expect(await desk.pools.get(pool.id)).toMatchObject({ current_size: 6, status: 'active' })
  })

  it('keeps the autoscaler from making a pool larger, which says why', async () => {
    const desk = await quotaDesk({ projectQuota: { vms: 1 } })
    const { body: pool } = await desk.pool(1, { auto_scaling: true, name: 'busy' })
    await desk.pass()
    const [member] = (await desk.pools.get(pool.id)).vms
    desk.app.engine.setLoad(member?.id ?? '', 100)
    await desk.pass(10 * 60_000)
    expect((await desk.pools.history(pool.id)).verdict).toMatch(
      /^This project uses 1 of its 1 VM, and 1 more is requested/,
    )
    expect(await desk.pools.get(pool.id)).toMatchObject({ desired_size: 1, current_size: 1 })
  })
})

describe('the use of a project and of an account', () => {
  it('is told with the limits of the settings, or those that an operator set', async () => {
    const desk = await quotaDesk({ accountQuota: { vms: 5 }, projectQuota: { shares: 7 } })
    await desk.limit('vms', 9)
    await desk.limit('processors', null)
    const { project, account } = await desk.quota()
    expect(project.shares).toEqual({ used: 0, limit: 7 })
    expect(account.vms).toEqual({ used: 0, limit: 9 })
    expect(account.processors).toEqual({ used: 0, limit: null })
    expect((await desk.ada.call(quotaApi.ofAccount)).body).toEqual(account)
  })
})
