import { copiesAtOnce, vmSnapshotApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

/** Forks a VM once, and waits until that is over. */
async function forked(desk: Desk, vmId: string): Promise<string> {
  const { body: copies } = await desk.fork(vmId)
  await desk.pass(60_000)
  return copies[0]?.id ?? ''
}

const createVms = (desk: Desk, snapshotId: string, body: object = {}) =>
  desk.ada.call(vmSnapshotApi.createVms, {
    params: { ...desk.params, snapshotId },
    body: { name: 'copy', ...body },
  })

describe('forking a VM', () => {
  it('202 answers at once; the copies go on from its memory, and the snapshot they are made of goes by itself', async ({
    desk,
  }) => {
    const vmId = await desk.runningVm('web')
    desk.app.engine.poke({ memoryOf: vmId }, 'counting')
    const answer = await desk.fork(vmId, { count: 2 })
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject([
      { name: 'copy-1', status: 'pending' },
      { name: 'copy-2', status: 'pending' },
    ])
    expect(await desk.vmSnapshots()).toMatchObject([
      { name: 'Fork of web', automatic: true, snapshot_type: 'full' },
    ])
    await desk.pass(60_000)
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
  })

  it('gives each copy disks of its own, which go with it', async ({ desk }) => {
    const { vmId, diskId } = await desk.vmWithDisk()
    desk.app.engine.poke({ volumeId: diskId }, 'rows')
    const copyId = await forked(desk, vmId)
    expect((await desk.vm(copyId)).status).toBe('running')
    const [own] = (await desk.disks()).filter(({ vm_id }) => vm_id === copyId)
    expect(own).toMatchObject({ name: 'data', status: 'attached', size: '1Gi', deleted_with_vm: true })
    expect(desk.app.engine.peek({ volumeId: own?.id ?? '' })).toBe('rows')
    expect(desk.app.engine.peek({ memoryOf: copyId })).toBe(desk.app.engine.peek({ memoryOf: vmId }))
    await desk.done(desk.deleteVm(copyId))
    expect((await desk.disks()).map(({ id }) => id)).toEqual([diskId])
  })

  it('copies the disks of a stopped VM, and the copies boot', async ({ desk }) => {
    const vmId = await desk.stoppedVm('web')
    const { steps } = await desk.vm(await forked(desk, vmId))
    expect(steps.map(({ name }) => name)).toEqual(['copy', 'boot', 'ready'])
  })

  it('goes on after the server was killed at any moment, and leaves nothing', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    for (const ms of [100, 600, 1_500, 2_500, 4_000]) {
      const { body } = await desk.fork(vmId, { name: `after-${ms}` })
      await desk.pass(ms)
      await desk.done(desk.app.restart())
      await desk.pass()
      // A snapshot that was being written when the server was killed is of no moment: like every other it fails.
      const { status, status_message } = await desk.vm(body[0]?.id ?? '')
      if (status === 'failed')
        expect(status_message).toMatch(/^Snapshot "Fork of web" cannot be used\. .{20}/)
      else expect(status).toBe('running')
      expect(await desk.vmSnapshots()).toEqual([])
      expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
    }
  })

  it('fails its copies with a reason when the snapshot cannot be made, and deletes it', async ({ desk }) => {
    const vmId = await desk.runningVm('fault-no-copies')
    const copy = await desk.vm(await forked(desk, vmId))
    expect(copy.status).toBe('failed')
    expect(copy.status_message).toMatch(/^Snapshot "Fork of .*" cannot be used\. .*enough space/)
    expect(await desk.vmSnapshots()).toEqual([])
    await desk.done(desk.deleteVm(copy.id))
    expect((await desk.vms()).map(({ id }) => id)).toEqual([vmId])
  })

  it('a copy can be deleted while it is made', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    for (const ms of [0, 700, 1_400, 2_100]) {
      const { body } = await desk.fork(vmId)
      await desk.pass(ms)
      expect((await desk.deleteVm(body[0]?.id ?? '')).status).toBe(204)
      await desk.pass(60_000)
      expect([...(await desk.app.engine.list()).keys()]).toEqual([vmId])
      expect(await desk.vmSnapshots()).toEqual([])
    }
  })

  it.for([
    [{ name: ' ' }, 'name', 'Please enter a VM name'],
    [{ count: 0 }, 'count', 'Enter a whole number of VMs from 1 to 10'],
    [{ count: copiesAtOnce + 1 }, 'count', 'Enter a whole number of VMs from 1 to 10'],
    [{ count: 1.5 }, 'count', 'Enter a whole number of VMs from 1 to 10'],
  ] as const)('400 for %j', async ([body, field, message], { desk }) => {
    const vmId = await desk.runningVm('web')
    expect(await desk.fork(vmId, body)).toMatchObject(refusal(400, message, field))
    expect(await desk.vmSnapshots()).toEqual([])
  })

  it('409 while it is not running or stopped, or when the project is full', async () => {
    const desk = await deskWith({ maxVmsPerProject: 3 })
    const { body: coming } = await desk.createVm('web')
    expect(await desk.fork(coming.id)).toMatchObject(
      refusal(
        409,
        expect.stringMatching(/^VM cannot be forked while it is (pending|creating|provisioning)$/),
      ),
    )
    await desk.pass()
    expect(await desk.fork(coming.id, { count: 3 })).toMatchObject({
      status: 409,
      body: {
        message:
          'This project uses 1 of its 3 VMs, and 3 more are requested. Delete VMs, or ask an administrator for a higher limit.',
      },
    })
    expect(await desk.vmSnapshots()).toEqual([])
    expect((await desk.fork(coming.id, { count: 2 })).status).toBe(202)
  })

  it('422 where the engine cannot copy', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, copies: clusterLimits.copies } })
    const vmId = await desk.runningVm('web')
    expect(await desk.fork(vmId)).toMatchObject(refusal(422, clusterLimits.copies))
    const snapshotId = await desk.readyVmSnapshot(vmId)
    expect((await createVms(desk, snapshotId)).status).toBe(422)
  })
})

describe('VMs of a snapshot', () => {
  it('202 makes as many as are asked for; the snapshot is in use meanwhile, and stays', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    desk.app.engine.poke({ machineId: vmId }, 'installed')
    const snapshotId = await desk.readyVmSnapshot(vmId, { snapshot_type: 'disk' })
    const { status, body } = await createVms(desk, snapshotId, { count: 2 })
    expect(status).toBe(202)
    expect((await desk.deleteVmSnapshot(snapshotId)).status).toBe(409)
    await desk.pass()
    expect(body).toHaveLength(2)
    for (const { id } of body) {
      expect((await desk.vm(id)).status).toBe('running')
      expect(desk.app.engine.peek({ machineId: id })).toBe('installed')
    }
    expect((await desk.vmSnapshots()).map(({ id }) => id)).toEqual([snapshotId])
    expect((await desk.deleteVmSnapshot(snapshotId)).status).toBe(204)
  })

  it('409 while the snapshot is not ready or its VM is gone', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    const { body: coming } = await desk.snapshotVm(vmId)
    expect(await createVms(desk, coming.id)).toMatchObject(refusal(409, 'Snapshot is not ready'))
    await desk.pass()
    await desk.done(desk.deleteVm(vmId))
    expect(await createVms(desk, coming.id)).toMatchObject(
      refusal(409, 'The VM of this snapshot no longer exists'),
    )
  })
})
