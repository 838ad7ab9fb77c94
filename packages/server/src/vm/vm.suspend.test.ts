/** Suspending VMs through the real app: what is kept, what is given back, and what happens when it does not work. */
import { describe, expect } from 'vitest'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

async function suspendedVm(desk: Desk, name = 'vm', more: object = {}): Promise<string> {
  const id = await desk.runningVm(name, more)
  desk.app.engine.poke({ memoryOf: id }, 'counter at 7')
  const answer = await desk.done(desk.act('suspend', id))
  expect(answer).toMatchObject({ status: 202, body: { status: 'suspending' } })
  return id
}

const stepsOf = async (desk: Desk, id: string) => (await desk.vm(id)).steps.map(({ name }) => name)

describe('a suspended VM', () => {
  it('has no address and no memory set aside, and goes on where it was when it is started', async ({
    desk,
  }) => {
    const id = await suspendedVm(desk)
    expect(await desk.vm(id)).toMatchObject({
      status: 'suspended',
      ip_address: null,
      status_message: null,
      status_deadline: null,
    })
    const { admitted } = await desk.app.db.selectFrom('vm').select('admitted').executeTakeFirstOrThrow()
    expect(admitted).toBe(0)
    await desk.done(desk.act('start', id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', status_message: null })
    expect(desk.app.engine.peek({ memoryOf: id })).toBe('counter at 7')
    expect(await stepsOf(desk, id)).toEqual(['resume', 'ready'])
    // It goes on once: after that it boots like every other.
    await desk.done(desk.act('restart', id))
    expect(desk.app.engine.peek({ memoryOf: id })).toBe('')
    expect(await stepsOf(desk, id)).toEqual(['boot', 'ready'])
    expect(await desk.told()).toEqual(
      expect.arrayContaining(['Suspend VM vm requested', 'VM vm was suspended', 'VM vm resumed']),
    )
  })

  it('keeps its root disk without persistent storage, until it is stopped', async ({ desk }) => {
    const id = await desk.runningVm('vm', { persistent: false })
    desk.app.engine.poke({ machineId: id }, 'written')
    await desk.done(desk.act('suspend', id))
    await desk.done(desk.act('start', id))
    expect(desk.app.engine.peek({ machineId: id })).toBe('written')
  })

  it.for([false, true] as const)(
    'that is stopped loses its memory and boots at its next start (force: %s)',
    async (force, { desk }) => {
      const id = await suspendedVm(desk)
      expect(await desk.act('stop', id, { force })).toMatchObject({
        status: 202,
        body: { status: 'stopping' },
      })
      await desk.pass()
      expect((await desk.vm(id)).status).toBe('stopped')
      await desk.done(desk.act('start', id))
      expect((await desk.vm(id)).status).toBe('running')
      expect(desk.app.engine.peek({ memoryOf: id })).toBe('')
    },
  )

  it('boots when its memory is damaged, and says so', async ({ desk }) => {
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
    expect(await desk.told()).toContain('VM vm could not resume and boots instead')
  })

  it('is refused what would change it under its memory: its disks, and a restore', async ({ desk }) => {
    const { vmId: id, diskId } = await desk.vmWithDisk()
    const snapshotId = await desk.readyVmSnapshot(id)
    await desk.done(desk.act('suspend', id))
    expect(await desk.attach(await desk.readyDisk(), id)).toMatchObject({ status: 409 })
    expect(await desk.detach(diskId)).toMatchObject(
      refusal(409, 'Disk cannot be detached while its VM is suspended'),
    )
    expect(await desk.restore(snapshotId, id)).toMatchObject(
      refusal(409, 'VM cannot be restored while it is suspended'),
    )
    expect(await desk.vm(id)).toMatchObject({ status: 'suspended', disks: [{ disk_id: diskId }] })
  })
})

describe('suspending', () => {
  it('says how far it is, and the guest runs on meanwhile', async ({ desk }) => {
    const id = await desk.runningVm()
    await desk.act('suspend', id)
    await desk.app.clock.advance(1_300)
    const vm = await desk.vm(id)
    expect(vm.status).toBe('suspending')
    expect(vm.status_message).toMatch(/^Saving the memory: \d+ %\.$/)
    expect(vm.status_deadline).not.toBeNull()
  })

  it('that finds no room leaves the VM running, and says why', async ({ desk }) => {
    const id = await desk.runningVm('fault-no-copies')
    await desk.done(desk.act('suspend', id))
    const vm = await desk.vm(id)
    expect(vm.status).toBe('running')
    expect(vm.status_message).toMatch(/^The VM could not be suspended and is still running\. /)
    expect(await desk.told()).toContain('VM fault-no-copies could not be suspended and is still running')
  })

  it('ends when the VM is to stop: nothing of it is kept', async ({ desk }) => {
    const id = await desk.runningVm()
    await desk.act('suspend', id)
    await desk.app.clock.advance(400)
    expect((await desk.act('stop', id)).status).toBe(202)
    await desk.pass()
    expect((await desk.vm(id)).status).toBe('stopped')
    await desk.done(desk.act('start', id))
    expect(await stepsOf(desk, id)).not.toContain('resume')
  })

  it('goes on after the server started anew, and the VM stays suspended after another such start', async ({
    desk,
  }) => {
    const id = await desk.runningVm()
    desk.app.engine.poke({ memoryOf: id }, 'counter at 7')
    await desk.act('suspend', id)
    await desk.app.clock.advance(400)
    for (let starts = 0; starts < 2; starts++) {
      await desk.done(desk.app.restart())
      expect((await desk.vm(id)).status).toBe('suspended')
    }
    await desk.done(desk.act('start', id))
    expect(desk.app.engine.peek({ memoryOf: id })).toBe('counter at 7')
  })

  it.for([
    ['stopped', { how: 'clean' }],
    ['error', { how: 'crashed', reason: 'The guest stopped unexpectedly.' }],
  ] as const)('of a guest that ends meanwhile ends as that: %s', async ([status, end], { desk }) => {
    const id = await desk.runningVm()
    await desk.act('suspend', id)
    await desk.app.clock.advance(400)
    desk.app.engine.endRun(id, end)
    await desk.pass()
    expect((await desk.vm(id)).status).toBe(status)
  })

  it('is refused with a sentence where the engine cannot', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, suspend: clusterLimits.suspend } })
    const id = await desk.runningVm()
    expect(await desk.act('suspend', id)).toMatchObject(refusal(422, clusterLimits.suspend))
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('gives its memory to a VM that waits for room; it waits for room itself when it is started', async () => {
    const desk = await deskWith({ hostMemoryMb: 300 })
    const first = await desk.runningVm('first')
    const { body: second } = await desk.createVm('second')
    await desk.app.clock.advance(5_000)
    expect((await desk.vm(second.id)).status).toBe('pending')
    await desk.done(desk.act('suspend', first))
    expect((await desk.vm(first)).status).toBe('suspended')
    expect((await desk.vm(second.id)).status).toBe('running')
    await desk.done(desk.act('start', first))
    expect(await desk.vm(first)).toMatchObject({
      status: 'starting',
      status_message: expect.stringContaining('Needs 256 MB of memory'),
    })
    await desk.done(desk.act('stop', second.id))
    expect((await desk.vm(first)).status).toBe('running')
  })
})
