import { type VmSetCreate, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const bodyOf = (desk: Desk, snapshotId: string, more: object = {}) => ({
  name: 'copies',
  template_id: 'starter',
  ssh_key_id: desk.keyId,
  snapshot_id: snapshotId,
  ...more,
})
const createSet = (desk: Desk, snapshotId: string, more: Partial<VmSetCreate> | object = {}) =>
  desk.ada.call(vmSetApi.create, { params: desk.params, body: bodyOf(desk, snapshotId, more) })
const setOf = async (desk: Desk, setId: string) =>
  (await desk.ada.call(vmSetApi.get, { params: { ...desk.params, setId } })).body

/** A VM with a disk, and a snapshot of it with what it had in memory. */
async function fullSnapshot(desk: Desk): Promise<string> {
  const diskId = await desk.readyDisk({ name: 'data' })
  const vmId = await desk.runningVm('db', { disks: [{ disk_id: diskId }] })
  desk.app.engine.poke({ volumeId: diskId }, 'rows')
  desk.app.engine.poke({ memoryOf: vmId }, 'counting')
  return desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
}

describe('a group whose VMs are made of a snapshot', () => {
  it(
    'has members that go on from it, each with its own copies of the disks, and so has one that grows later',
    atDesk(async (desk) => {
      const snapshotId = await fullSnapshot(desk)
      const { status, body } = await createSet(desk, snapshotId, { replicas: 2 })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        snapshot_id: snapshotId,
        disks: [{ name: 'data', size: '1Gi', source: 'SNAPSHOT' }],
      })
      await desk.pass()
      await desk.ada.call(vmSetApi.update, {
        params: { ...desk.params, setId: body.id },
        body: { replicas: 3 },
      })
      await desk.pass()
      const set = await setOf(desk, body.id)
      expect(set).toMatchObject({ status: 'active', vm_stats: { running_vms: 3 } })
      for (const [index, vm] of set.vms.entries()) {
        expect(vm.disks).toMatchObject([{ name: `data-${index + 1}`, size: '1Gi' }])
        expect(desk.app.engine.peek({ volumeId: vm.disks[0]?.disk_id ?? '' })).toBe('rows')
        expect(desk.app.engine.peek({ memoryOf: vm.id })).toBe('counting')
      }
    }),
  )

  it(
    'keeps its snapshot from being deleted until the group is',
    atDesk(async (desk) => {
      const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
      const { body: set } = await createSet(desk, snapshotId, { replicas: 1 })
      await desk.pass()
      expect(await desk.deleteVmSnapshot(snapshotId)).toMatchObject({
        status: 409,
        body: { message: 'Snapshot is in use. Please try again later.' },
      })
      await desk.ada.call(vmSetApi.delete, { params: { ...desk.params, setId: set.id } })
      await desk.pass()
      expect((await desk.deleteVmSnapshot(snapshotId)).status).toBe(204)
      await desk.pass()
      expect(await desk.vmSnapshots()).toEqual([])
    }),
  )

  it.each([
    ['stays', true, ['snap']],
    ['goes once the group is deleted', false, []],
  ])('its snapshot that has expired %s', (_, isKept, left) =>
    atDesk(async (desk) => {
      const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'), { retention_days: 1 })
      const { body: set } = await createSet(desk, snapshotId, { replicas: 1 })
      await desk.pass()
      if (!isKept) await desk.ada.call(vmSetApi.delete, { params: { ...desk.params, setId: set.id } })
      await desk.pass(2 * 24 * 60 * 60_000)
      expect(await desk.namesIn('vm_snapshot')).toEqual(left)
    })(),
  )

  it(
    'replaces a member that was deleted, also when the VM of the snapshot is gone',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      desk.app.engine.poke({ machineId: vmId }, 'installed')
      const snapshotId = await desk.readyVmSnapshot(vmId)
      const { body: pool } = await desk.ada.call(vmPoolApi.create, {
        params: desk.params,
        body: { ...bodyOf(desk, snapshotId), min_size: 1, desired_size: 1, max_size: 2 },
      })
      await desk.pass()
      await desk.deleteVm(vmId)
      const membersOf = async () =>
        (await desk.ada.call(vmPoolApi.get, { params: { ...desk.params, poolId: pool.id } })).body.vms
      const [before] = await membersOf()
      await desk.deleteVm(before?.id ?? '')
      await desk.pass()
      const [after] = await membersOf()
      expect(after).toMatchObject({ status: 'running' })
      expect(after?.id).not.toBe(before?.id)
      expect(desk.app.engine.peek({ machineId: after?.id ?? '' })).toBe('installed')
    }),
  )

  it(
    'goes on after the server was killed at any moment',
    atDesk(async (desk) => {
      const snapshotId = await fullSnapshot(desk)
      for (const ms of [100, 700, 1_500, 3_000]) {
        const { body } = await createSet(desk, snapshotId, { name: `after-${ms}`, replicas: 2 })
        await desk.pass(ms)
        await desk.app.restart()
        await desk.pass()
        const { vms, status } = await setOf(desk, body.id)
        expect(status).toBe('active')
        for (const { id } of vms) expect(desk.app.engine.peek({ memoryOf: id })).toBe('counting')
      }
    }),
  )

  it.each([
    [{ persistent: false }, 'persistent', 'VMs that are made of a snapshot keep their root disk.'],
    [{ disks: [{ name: 'a', size: '1Gi' }] }, 'disks', 'VMs that are made of a snapshot have its disks.'],
    [{ snapshot_id: 'nothing' }, 'snapshot_id', 'Please select a VM snapshot of this project.'],
    [{ snapshot_id: '' }, 'snapshot_id', 'Please select a VM snapshot of this project.'],
  ])('400 for %j', (change, field, message) =>
    atDesk(async (desk) => {
      const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
      const answer = await createSet(desk, snapshotId, change)
      expect(answer).toMatchObject({ status: 400, body: { fields: { [field]: expect.any(String) } } })
      expect(JSON.stringify(answer.body)).toContain(message)
      expect((await desk.ada.call(vmSetApi.list, { params: desk.params })).body).toEqual([])
    })(),
  )

  it(
    '409 while the snapshot is not ready, or when its VM is gone; 400 for another template',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      const { body: snapshot } = await desk.snapshotVm(vmId)
      expect(await createSet(desk, snapshot.id)).toMatchObject({
        status: 409,
        body: { message: 'Snapshot is not ready' },
      })
      await desk.pass()
      expect(await createSet(desk, snapshot.id, { template_id: 'base' })).toMatchObject({
        status: 400,
        body: { fields: { template_id: 'The VM of this snapshot has another template.' } },
      })
      await desk.deleteVm(vmId)
      expect(await createSet(desk, snapshot.id)).toMatchObject({
        status: 409,
        body: { message: 'The VM of this snapshot no longer exists' },
      })
      expect((await desk.ada.call(vmApi.list, { params: desk.params })).body).toEqual([])
    }),
  )

  it(
    'counts the disks of its members, and is refused when the project is full',
    atDesk(
      async (desk) => {
        const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
        expect((await createSet(desk, snapshotId, { replicas: 3 })).status).toBe(409)
        expect((await createSet(desk, snapshotId, { replicas: 2 })).status).toBe(201)
      },
      { maxVmsPerProject: 3 },
    ),
  )

  it(
    '422 where the engine cannot copy',
    atDesk(
      async (desk) => {
        const snapshotId = await desk.readyVmSnapshot(await desk.runningVm('web'))
        expect(await createSet(desk, snapshotId)).toMatchObject({
          status: 422,
          body: { message: clusterLimits.copies },
        })
      },
      { cannot: { ...noLimits, copies: clusterLimits.copies } },
    ),
  )
})
