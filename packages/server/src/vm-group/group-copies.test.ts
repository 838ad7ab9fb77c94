import { describe, expect, it } from 'vitest'
import type { Desk } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

/** A VM with a disk, and a snapshot of it with what it had in memory. */
async function fullSnapshot(desk: Desk): Promise<string> {
  const diskId = await desk.readyDisk({ name: 'data' })
  const vmId = await desk.runningVm('db', { disks: [{ disk_id: diskId }] })
  desk.app.engine.poke({ volumeId: diskId }, 'rows')
  desk.app.engine.poke({ memoryOf: vmId }, 'counting')
  return desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
}

describe('a group whose VMs are made of a snapshot', () => {
  it('has members that go on from it, each with its own copies of the disks, and so has one that grows later', async () => {
    const desk = await groupDesk()
    const snapshotId = await fullSnapshot(desk)
    const { status, body } = await desk.sets.create({ snapshot_id: snapshotId, replicas: 2 })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      snapshot_id: snapshotId,
      disks: [{ name: 'data', size: '1Gi', source: 'SNAPSHOT' }],
    })
    await desk.pass()
    await desk.sets.resize(body.id, 3)
    await desk.pass()
    const set = await desk.sets.get(body.id)
    expect(set).toMatchObject({ status: 'active', vm_stats: { running_vms: 3 } })
    for (const [index, vm] of set.vms.entries()) {
      expect(vm.disks).toMatchObject([{ name: `data-${index + 1}`, size: '1Gi' }])
      expect(desk.app.engine.peek({ volumeId: vm.disks[0]?.disk_id ?? '' })).toBe('rows')
      expect(desk.app.engine.peek({ memoryOf: vm.id })).toBe('counting')
    }
  })

  it('keeps its snapshot from being deleted until the group is', async () => {
    const desk = await groupDesk()
    const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
    const { body: set } = await desk.sets.create({ snapshot_id: snapshotId, replicas: 1 })
    await desk.pass()
    expect(await desk.deleteVmSnapshot(snapshotId)).toMatchObject({
      status: 409,
      body: { message: 'Snapshot is in use. Please try again later.' },
    })
    await desk.sets.remove(set.id)
    await desk.pass()
    expect((await desk.deleteVmSnapshot(snapshotId)).status).toBe(204)
    await desk.pass()
    expect(await desk.vmSnapshots()).toEqual([])
  })

  it.each([
    ['stays', true, ['snap']],
    ['goes once the group is deleted', false, []],
  ])('its snapshot that has expired %s', async (_, isKept, left) => {
    const desk = await groupDesk()
    const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'), { retention_days: 1 })
    const { body: set } = await desk.sets.create({ snapshot_id: snapshotId, replicas: 1 })
    await desk.pass()
    if (!isKept) await desk.sets.remove(set.id)
    await desk.pass(2 * 24 * 60 * 60_000)
    expect(await desk.namesIn('vm_snapshot')).toEqual(left)
  })

  it('replaces a member that was deleted, also when the VM of the snapshot is gone', async () => {
    const desk = await groupDesk()
    const vmId = await desk.runningVm('web')
    desk.app.engine.poke({ machineId: vmId }, 'installed')
    const snapshotId = await desk.readyVmSnapshot(vmId)
    const pool = await desk.pools.made({ snapshot_id: snapshotId, max_size: 2 })
    await desk.deleteVm(vmId)
    const [before] = (await desk.pools.get(pool.id)).vms
    await desk.deleteVm(before?.id ?? '')
    await desk.pass()
    const [after] = (await desk.pools.get(pool.id)).vms
    expect(after).toMatchObject({ status: 'running' })
    expect(after?.id).not.toBe(before?.id)
    expect(desk.app.engine.peek({ machineId: after?.id ?? '' })).toBe('installed')
  })

  it('goes on after the server was killed at any moment', async () => {
    const desk = await groupDesk()
    const snapshotId = await fullSnapshot(desk)
    for (const ms of [100, 700, 1_500, 3_000]) {
      const { body } = await desk.sets.create({ name: `after-${ms}`, snapshot_id: snapshotId })
      await desk.pass(ms)
      await desk.app.restart()
      await desk.pass()
      const { vms, status } = await desk.sets.get(body.id)
      expect(status).toBe('active')
      for (const { id } of vms) expect(desk.app.engine.peek({ memoryOf: id })).toBe('counting')
    }
  })

  it.each([
    [{ persistent: false }, 'persistent', 'VMs that are made of a snapshot keep their root disk.'],
    [{ disks: [{ name: 'a', size: '1Gi' }] }, 'disks', 'VMs that are made of a snapshot have its disks.'],
    [{ snapshot_id: 'nothing' }, 'snapshot_id', 'Please select a VM snapshot of this project.'],
    [{ snapshot_id: '' }, 'snapshot_id', 'Please select a VM snapshot of this project.'],
  ])('400 for %j', async (change, field, message) => {
    const desk = await groupDesk()
    const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
    const answer = await desk.sets.create({ snapshot_id: snapshotId, ...change })
    expect(answer).toMatchObject({ status: 400, body: { fields: { [field]: expect.any(String) } } })
    expect(JSON.stringify(answer.body)).toContain(message)
    expect(await desk.sets.list()).toEqual([])
  })

  it('409 while the snapshot is not ready, or when its VM is gone; 400 for another template', async () => {
    const desk = await groupDesk()
    const vmId = await desk.runningVm('web')
    const { body: snapshot } = await desk.snapshotVm(vmId)
    expect(await desk.sets.create({ snapshot_id: snapshot.id })).toMatchObject({
      status: 409,
      body: { message: 'Snapshot is not ready' },
    })
    await desk.pass()
    expect(await desk.sets.create({ snapshot_id: snapshot.id, template_id: 'base' })).toMatchObject({
      status: 400,
      body: { fields: { template_id: 'The VM of this snapshot has another template.' } },
    })
    await desk.deleteVm(vmId)
    expect(await desk.sets.create({ snapshot_id: snapshot.id })).toMatchObject({
      status: 409,
      body: { message: 'The VM of this snapshot no longer exists' },
    })
    expect(await desk.vms()).toEqual([])
  })

  it('counts the disks of its members, and is refused when the project is full', async () => {
    const desk = await groupDesk({ maxVmsPerProject: 3 })
    const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
    expect((await desk.sets.create({ snapshot_id: snapshotId, replicas: 3 })).status).toBe(409)
    expect((await desk.sets.create({ snapshot_id: snapshotId, replicas: 2 })).status).toBe(201)
  })

  it('422 where the engine cannot copy', async () => {
    const desk = await groupDesk({ cannot: { ...noLimits, copies: clusterLimits.copies } })
    const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
    expect(await desk.sets.create({ snapshot_id: snapshotId })).toMatchObject({
      status: 422,
      body: { message: clusterLimits.copies },
    })
  })
})
