import { copiesAtOnce, type Vm, vmApi, vmSnapshotApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const fork = (desk: Desk, vmId: string, body: object = {}) =>
  desk.ada.call(vmApi.fork, { params: { ...desk.params, vmId }, body: { name: 'copy', ...body } })

const createVms = (desk: Desk, snapshotId: string, body: object = {}) =>
  desk.ada.call(vmSnapshotApi.createVms, {
    params: { ...desk.params, snapshotId },
    body: { name: 'copy', ...body },
  })

const statuses = async (desk: Desk, vms: readonly Vm[]) =>
  Promise.all(vms.map(async ({ id }) => (await desk.vm(id)).status))

describe('forking a VM', () => {
  it(
    '202 answers at once; the copies go on from its memory, and the snapshot they are made of goes by itself',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      desk.app.engine.poke({ memoryOf: vmId }, 'counting')
      const answer = await fork(desk, vmId, { count: 2 })
      expect(answer.status).toBe(202)
      expect(answer.body).toMatchObject([
        { name: 'copy-1', status: 'pending' },
        { name: 'copy-2', status: 'pending' },
      ])
      expect(await desk.vmSnapshots()).toMatchObject([
        { name: 'Fork of web', automatic: true, snapshot_type: 'full' },
      ])
      await desk.pass()
      await desk.pass()
      const source = await desk.vm(vmId)
      for (const { id } of answer.body) {
        const copy = await desk.vm(id)
        expect(copy).toMatchObject({ status: 'running', cpu: source.cpu, memory_mb: source.memory_mb })
        expect(copy.ssh_key_id).toBe(source.ssh_key_id)
        expect(copy.ip_address).not.toBe(source.ip_address)
        expect(copy.steps.map(({ name }) => name)).toEqual(['copy', 'resume', 'ready'])
        expect(desk.app.engine.peek({ memoryOf: id })).toBe('counting')
      }
      expect(source.status).toBe('running')
      expect(await desk.vmSnapshots()).toEqual([])
      expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
    }),
  )

  it(
    'gives each copy disks of its own, which go with it',
    atDesk(async (desk) => {
      const diskId = await desk.readyDisk({ name: 'data' })
      const vmId = await desk.runningVm('db', { disks: [{ disk_id: diskId }] })
      desk.app.engine.poke({ volumeId: diskId }, 'rows')
      const { body } = await fork(desk, vmId)
      await desk.pass()
      await desk.pass()
      const [copy] = body
      if (!copy) return expect.fail('no copy')
      expect((await desk.vm(copy.id)).status).toBe('running')
      const [own] = (await desk.disks()).filter(({ vm_id }) => vm_id === copy.id)
      expect(own).toMatchObject({ name: 'data', status: 'attached', size: '1Gi', deleted_with_vm: true })
      expect(desk.app.engine.peek({ volumeId: own?.id ?? '' })).toBe('rows')
      expect(desk.app.engine.peek({ memoryOf: copy.id })).toBe(desk.app.engine.peek({ memoryOf: vmId }))
      await desk.deleteVm(copy.id)
      await desk.pass()
      expect((await desk.disks()).map(({ id }) => id)).toEqual([diskId])
    }),
  )

  it(
    'copies the disks of a stopped VM, and the copies boot',
    atDesk(async (desk) => {
      const vmId = await desk.stoppedVm('web')
      const { body } = await fork(desk, vmId)
      await desk.pass()
      await desk.pass()
      expect((await desk.vm(body[0]?.id ?? '')).steps.map(({ name }) => name)).toEqual([
        'copy',
        'boot',
        'ready',
      ])
    }),
  )

  it(
    'goes on after the server was killed at any moment, and leaves nothing',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      for (const ms of [100, 600, 1_500, 2_500, 4_000]) {
        const { body } = await fork(desk, vmId, { name: `after-${ms}` })
        await desk.pass(ms)
        await desk.app.restart()
        await desk.pass()
        await desk.pass()
        // A snapshot that was being written when the server was killed is of no moment: like every other it fails.
        const { status, status_message } = await desk.vm(body[0]?.id ?? '')
        if (status === 'failed')
          expect(status_message).toMatch(/^Snapshot "Fork of web" cannot be used\. .{20}/)
        else expect(status).toBe('running')
        expect(await desk.vmSnapshots()).toEqual([])
        expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
      }
    }),
  )

  it(
    'fails its copies with a reason when the snapshot cannot be made, and deletes it',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('fault-no-copies')
      const { body } = await fork(desk, vmId)
      await desk.pass()
      await desk.pass()
      const copy = await desk.vm(body[0]?.id ?? '')
      expect(copy.status).toBe('failed')
      expect(copy.status_message).toMatch(/^Snapshot "Fork of .*" cannot be used\. .*enough space/)
      expect(await desk.vmSnapshots()).toEqual([])
      await desk.deleteVm(copy.id)
      await desk.pass()
      expect(await desk.ada.call(vmApi.list, { params: desk.params })).toMatchObject({ body: [{ id: vmId }] })
    }),
  )

  it(
    'a copy can be deleted while it is made',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      for (const ms of [0, 700, 1_400, 2_100]) {
        const { body } = await fork(desk, vmId)
        await desk.pass(ms)
        expect((await desk.deleteVm(body[0]?.id ?? '')).status).toBe(204)
        await desk.pass()
        await desk.pass()
        expect([...(await desk.app.engine.list()).keys()]).toEqual([vmId])
        expect(await desk.vmSnapshots()).toEqual([])
      }
    }),
  )

  it.each([
    [{ name: ' ' }, 'name', 'Please enter a VM name'],
    [{ count: 0 }, 'count', 'Enter a whole number of VMs from 1 to 10'],
    [{ count: copiesAtOnce + 1 }, 'count', 'Enter a whole number of VMs from 1 to 10'],
    [{ count: 1.5 }, 'count', 'Enter a whole number of VMs from 1 to 10'],
  ])('400 for %j', (body, field, message) =>
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      expect(await fork(desk, vmId, body)).toMatchObject({
        status: 400,
        body: { fields: { [field]: message } },
      })
      expect(await desk.vmSnapshots()).toEqual([])
    })(),
  )

  it(
    '404 for a VM that is not there, 409 while it is not running or stopped, or when the project is full',
    atDesk(
      async (desk) => {
        expect((await fork(desk, 'nobody')).status).toBe(404)
        const { body: coming } = await desk.createVm('web')
        expect(await fork(desk, coming.id)).toMatchObject({
          status: 409,
          body: {
            message: expect.stringMatching(
              /^VM cannot be forked while it is (pending|creating|provisioning)$/,
            ),
          },
        })
        await desk.pass()
        expect(await fork(desk, coming.id, { count: 3 })).toMatchObject({
          status: 409,
          body: {
            message:
              'This project uses 1 of its 3 VMs, and 3 more are requested. Delete VMs, or ask an administrator for a higher limit.',
          },
        })
        expect(await desk.vmSnapshots()).toEqual([])
        expect((await fork(desk, coming.id, { count: 2 })).status).toBe(202)
      },
      { maxVmsPerProject: 3 },
    ),
  )

  it(
    '422 where the engine cannot copy',
    atDesk(
      async (desk) => {
        const vmId = await desk.runningVm('web')
        expect(await fork(desk, vmId)).toMatchObject({ status: 422, body: { message: clusterLimits.copies } })
        const snapshotId = await desk.readyVmSnapshot(vmId)
        expect((await createVms(desk, snapshotId)).status).toBe(422)
      },
      { cannot: { ...noLimits, copies: clusterLimits.copies } },
    ),
  )
})

describe('VMs of a snapshot', () => {
  it(
    '202 makes as many as are asked for; the snapshot is in use meanwhile, and stays',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      desk.app.engine.poke({ machineId: vmId }, 'installed')
      const snapshotId = await desk.readyVmSnapshot(vmId, { snapshot_type: 'disk' })
      const { status, body } = await createVms(desk, snapshotId, { count: 2 })
      expect(status).toBe(202)
      expect((await desk.deleteVmSnapshot(snapshotId)).status).toBe(409)
      await desk.pass()
      expect(await statuses(desk, body)).toEqual(['running', 'running'])
      for (const { id } of body) expect(desk.app.engine.peek({ machineId: id })).toBe('installed')
      expect((await desk.vmSnapshots()).map(({ id }) => id)).toEqual([snapshotId])
      expect((await desk.deleteVmSnapshot(snapshotId)).status).toBe(204)
    }),
  )

  it(
    '404 without the snapshot, 409 while it is not ready or its VM is gone',
    atDesk(async (desk) => {
      expect((await createVms(desk, 'nothing')).status).toBe(404)
      const vmId = await desk.runningVm('web')
      const { body: coming } = await desk.snapshotVm(vmId)
      expect(await createVms(desk, coming.id)).toMatchObject({
        status: 409,
        body: { message: 'Snapshot is not ready' },
      })
      await desk.pass()
      await desk.deleteVm(vmId)
      await desk.pass()
      expect(await createVms(desk, coming.id)).toMatchObject({
        status: 409,
        body: { message: 'The VM of this snapshot no longer exists' },
      })
    }),
  )
})
