/** Suspending VMs through the real app: what is kept, what is given back, and what happens when it does not work. */
import { activityApi, diskApi, vmApi, vmTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const vmOf = (desk: Desk, vmId: string) => ({ params: { ...desk.params, vmId } })
const suspend = (desk: Desk, id: string) => desk.ada.call(vmApi.suspend, vmOf(desk, id))
const stop = (desk: Desk, id: string, force = false) =>
  desk.ada.call(vmApi.stop, { ...vmOf(desk, id), body: { force } })

async function suspendedVm(desk: Desk, name = 'vm', more: object = {}): Promise<string> {
  const id = await desk.runningVm(name, more)
  desk.app.engine.poke({ memoryOf: id }, 'counter at 7')
  expect(await suspend(desk, id)).toMatchObject({ status: 202, body: { status: 'suspending' } })
  await desk.pass()
  return id
}

const stepsOf = async (desk: Desk, id: string) => (await desk.vm(id)).steps.map(({ name }) => name)
const told = async (desk: Desk) =>
  (await desk.ada.call(activityApi.ofProject, { params: desk.params })).body.entries.map(
    ({ message }) => message,
  )

describe('a suspended VM', () => {
  it(
    'has no address and no memory set aside, and goes on where it was when it is started',
    atDesk(async (desk) => {
      const id = await suspendedVm(desk)
      expect(await desk.vm(id)).toMatchObject({
        status: 'suspended',
        ip_address: null,
        status_message: null,
        status_deadline: null,
      })
      const { admitted } = await desk.app.db.selectFrom('vm').select('admitted').executeTakeFirstOrThrow()
      expect(admitted).toBe(0)
      await desk.act('start', id)
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status: 'running', status_message: null })
      expect(desk.app.engine.peek({ memoryOf: id })).toBe('counter at 7')
      expect(await stepsOf(desk, id)).toEqual(['resume', 'ready'])
      expect(await told(desk)).toEqual(
        expect.arrayContaining(['Suspend VM vm requested', 'VM vm was suspended', 'VM vm resumed']),
      )
    }),
  )

  it(
    'goes on once: after that it boots like every other',
    atDesk(async (desk) => {
      const id = await suspendedVm(desk)
      await desk.act('start', id)
      await desk.pass()
      await desk.act('restart', id)
      await desk.pass()
      expect(desk.app.engine.peek({ memoryOf: id })).toBe('')
      expect(await stepsOf(desk, id)).toEqual(['boot', 'ready'])
    }),
  )

  it(
    'keeps its root disk without persistent storage, until it is stopped',
    atDesk(async (desk) => {
      const id = await desk.runningVm('vm', { persistent: false })
      desk.app.engine.poke({ machineId: id }, 'written')
      await suspend(desk, id)
      await desk.pass()
      await desk.act('start', id)
      await desk.pass()
      expect(desk.app.engine.peek({ machineId: id })).toBe('written')
    }),
  )

  it.each([false, true])(
    'that is stopped loses its memory and boots at its next start (force: %s)',
    (force) =>
      atDesk(async (desk) => {
        const id = await suspendedVm(desk)
        expect(await stop(desk, id, force)).toMatchObject({ status: 202, body: { status: 'stopping' } })
        await desk.pass()
        expect((await desk.vm(id)).status).toBe('stopped')
        await desk.act('start', id)
        await desk.pass()
        expect((await desk.vm(id)).status).toBe('running')
        expect(desk.app.engine.peek({ memoryOf: id })).toBe('')
      })(),
  )

  it(
    'stays suspended when the server starts anew',
    atDesk(async (desk) => {
      const id = await suspendedVm(desk)
      await desk.app.restart()
      await desk.pass()
      expect((await desk.vm(id)).status).toBe('suspended')
      await desk.act('start', id)
      await desk.pass()
      expect(desk.app.engine.peek({ memoryOf: id })).toBe('counter at 7')
    }),
  )

  it(
    'boots when its memory is damaged, and says so',
    atDesk(async (desk) => {
      const id = await suspendedVm(desk)
      desk.app.engine.loseMemory(id)
      await desk.act('start', id)
      await desk.app.clock.advance(1_000)
      expect(await desk.vm(id)).toMatchObject({
        status: 'starting',
        status_message: 'The VM could not resume and boots instead. The saved memory is damaged (simulated).',
      })
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status: 'running' })
      expect(await told(desk)).toContain('VM vm could not resume and boots instead')
    }),
  )

  it(
    'is refused what would change it under its memory: disks, snapshots, restores, a second suspend',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      const snapshotId = await desk.readyVmSnapshot(id)
      await suspend(desk, id)
      await desk.pass()
      const diskId = await desk.readyDisk()
      expect(await desk.attach(diskId, id)).toMatchObject({ status: 409 })
      expect(await desk.snapshotVm(id)).toMatchObject({
        status: 409,
        body: { message: 'VM must be running or stopped to create a snapshot' },
      })
      expect(await desk.restore(snapshotId, id)).toMatchObject({
        status: 409,
        body: { message: 'VM cannot be restored while it is suspended' },
      })
      expect(await suspend(desk, id)).toMatchObject({
        status: 409,
        body: { message: 'VM cannot be suspended while it is suspended' },
      })
      expect((await desk.vm(id)).status).toBe('suspended')
    }),
  )

  it(
    'keeps its disks to itself',
    atDesk(async (desk) => {
      const diskId = await desk.readyDisk()
      const id = await desk.runningVm('vm', { disks: [{ disk_id: diskId }] })
      await suspend(desk, id)
      await desk.pass()
      expect(await desk.detach(diskId)).toMatchObject({
        status: 409,
        body: { message: 'Disk cannot be detached while its VM is suspended' },
      })
      expect((await desk.vm(id)).disks).toHaveLength(1)
    }),
  )
})

describe('suspending', () => {
  it(
    'says how far it is, and the guest runs on meanwhile',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      await suspend(desk, id)
      await desk.app.clock.advance(1_300)
      const vm = await desk.vm(id)
      expect(vm.status).toBe('suspending')
      expect(vm.status_message).toMatch(/^Saving the memory: \d+ %\.$/)
      expect(vm.status_deadline).not.toBeNull()
    }),
  )

  it(
    'that finds no room leaves the VM running, and says why',
    atDesk(async (desk) => {
      const id = await desk.runningVm('fault-no-copies')
      await suspend(desk, id)
      await desk.pass()
      const vm = await desk.vm(id)
      expect(vm.status).toBe('running')
      expect(vm.status_message).toMatch(/^The VM could not be suspended and is still running\. /)
      expect(await told(desk)).toContain('VM fault-no-copies could not be suspended and is still running')
    }),
  )

  it(
    'ends when the VM is to stop: nothing of it is kept',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      await suspend(desk, id)
      await desk.app.clock.advance(400)
      expect((await stop(desk, id)).status).toBe(202)
      await desk.pass()
      expect((await desk.vm(id)).status).toBe('stopped')
      await desk.act('start', id)
      await desk.pass()
      expect(await stepsOf(desk, id)).not.toContain('resume')
    }),
  )

  it(
    'goes on after the server started anew',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      desk.app.engine.poke({ memoryOf: id }, 'counter at 7')
      await suspend(desk, id)
      await desk.app.clock.advance(400)
      await desk.app.restart()
      await desk.pass()
      expect((await desk.vm(id)).status).toBe('suspended')
      expect(desk.app.engine.peek({ memoryOf: id })).toBe('counter at 7')
    }),
  )

  it(
    'of a guest that powers itself off meanwhile ends as that',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      await suspend(desk, id)
      await desk.app.clock.advance(400)
      desk.app.engine.endRun(id, { how: 'clean' })
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status: 'stopped' })
    }),
  )

  it(
    'of a guest that crashes meanwhile tells of that',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      await suspend(desk, id)
      await desk.app.clock.advance(400)
      desk.app.engine.endRun(id, { how: 'crashed', reason: 'The guest stopped unexpectedly.' })
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status: 'error' })
    }),
  )

  it(
    'waits for a snapshot of the VM, and for disks on their way',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      await desk.snapshotVm(id)
      expect(await suspend(desk, id)).toMatchObject({
        status: 409,
        body: { message: vmTexts.beingSnapshotted },
      })
      await desk.pass()
      const diskId = await desk.readyDisk()
      const clinging = await desk.runningVm('fault-clings', { disks: [{ disk_id: diskId }] })
      const detached = desk.ada.call(diskApi.detach, { params: { ...desk.params, diskId } })
      await desk.app.clock.advance(100)
      expect(await suspend(desk, clinging)).toMatchObject({
        status: 409,
        body: { message: vmTexts.disksChanging },
      })
      await desk.pass()
      await detached
      expect((await desk.vm(clinging)).status).toBe('running')
    }),
  )

  it(
    'is refused with a sentence where the engine cannot',
    atDesk(
      async (desk) => {
        const id = await desk.runningVm()
        expect(await suspend(desk, id)).toMatchObject({
          status: 422,
          body: { message: clusterLimits.suspend },
        })
        expect((await desk.vm(id)).status).toBe('running')
      },
      { cannot: { ...noLimits, suspend: clusterLimits.suspend } },
    ),
  )

  it(
    'is only for the owner of the VM',
    atDesk(async (desk) => {
      const id = await desk.runningVm()
      const bob = await desk.app.signedIn()
      expect((await bob.call(vmApi.suspend, vmOf(desk, id))).status).toBe(404)
      expect((await desk.vm(id)).status).toBe('running')
    }),
  )

  it(
    'gives its memory to a VM that waits for room; it waits for room itself when it is started',
    atDesk(
      async (desk) => {
        const first = await desk.runningVm('first')
        const { body: second } = await desk.createVm('second')
        await desk.app.clock.advance(5_000)
        expect((await desk.vm(second.id)).status).toBe('pending')
        await suspend(desk, first)
        await desk.pass()
        expect((await desk.vm(first)).status).toBe('suspended')
        expect((await desk.vm(second.id)).status).toBe('running')
        await desk.act('start', first)
        await desk.pass()
        expect(await desk.vm(first)).toMatchObject({
          status: 'starting',
          status_message: expect.stringContaining('Needs 256 MB of memory'),
        })
        await desk.act('stop', second.id)
        await desk.pass()
        expect((await desk.vm(first)).status).toBe('running')
      },
      { hostMemoryMb: 300 },
    ),
  )
})
