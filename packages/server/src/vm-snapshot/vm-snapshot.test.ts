import { randomUUID } from 'node:crypto'
import { VmSnapshot, type VmStatus, vmSnapshotStatuses, vmStatuses } from '@slipway/contract'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { type Desk, deskWith, it, openDesk, refusal } from '../desk.test-kit.ts'
import { EngineError } from '../engine/engine.ts'

const minutes = 60_000
const day = 24 * 60 * minutes

/** A VM on whose root disk is A in a snapshot, and B now. */
async function changedVm(desk: Desk, way: 'runningVm' | 'stoppedVm' = 'runningVm', more: object = {}) {
  const { engine } = desk.app
  const vmId = await desk[way]('vm', more)
  engine.poke({ machineId: vmId }, 'A')
  const id = await desk.readyVmSnapshot(vmId)
  engine.poke({ machineId: vmId }, 'B')
  return { engine, vmId, id, root: () => engine.peek({ machineId: vmId }) }
}

describe('taking a snapshot of a VM', () => {
  it('201 answers at once; the snapshot becomes ready, knows its size and when it expires', async ({
    desk,
  }) => {
    const vmId = await desk.runningVm('web')
    const answer = await desk.snapshotVm(vmId, {
      name: ' before upgrade ',
      description: 'd',
      retention_days: 2,
      skip_memory_snapshot: true,
      metadata: { created_by: 'ui', created_at: '2026-11-20T12:00:00.000Z' },
    })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(VmSnapshot.shape).sort())
    expect(answer.body).toMatchObject({
      name: 'before upgrade',
      description: 'd',
      status: 'pending',
      vm_id: vmId,
      vm_name: 'web',
      snapshot_type: 'disk',
      size_mb: null,
      automatic: false,
      metadata: { created_by: 'ui', created_at: '2026-11-20T12:00:00.000Z' },
    })
    await desk.app.clock.advance(500)
    expect(await desk.vmSnapshot(answer.body.id)).toMatchObject({
      status: 'creating',
      progress: expect.any(Number),
    })
    expect((await desk.vm(vmId)).status).toBe('running')
    await desk.pass()
    const ready = await desk.vmSnapshot(answer.body.id)
    expect(ready).toMatchObject({
      status: 'ready',
      has_memory: false,
      consistency: 'crash',
      progress: null,
    })
    expect(ready?.size_mb).toBeGreaterThan(0)
    expect(Date.parse(ready?.expires_at ?? '') - Date.parse(ready?.created_at ?? '')).toBe(2 * day)
    expect(desk.events).toContain('vm_snapshot')
  })

  it('stores memory only for a running VM that asks for it: skipping wins over the type', async ({
    desk,
  }) => {
    const running = await desk.runningVm('up')
    const stopped = await desk.stoppedVm('down')
    const full = await desk.readyVmSnapshot(running, { snapshot_type: 'full', skip_memory_snapshot: false })
    const skipped = await desk.readyVmSnapshot(running, {
      snapshot_type: 'full',
      skip_memory_snapshot: true,
    })
    const off = await desk.readyVmSnapshot(stopped, { snapshot_type: 'full' })
    expect(await desk.vmSnapshot(full)).toMatchObject({
      snapshot_type: 'full',
      has_memory: true,
      consistency: 'memory',
    })
    expect(await desk.vmSnapshot(skipped)).toMatchObject({ snapshot_type: 'disk', has_memory: false })
    expect(await desk.vmSnapshot(off)).toMatchObject({
      snapshot_type: 'full',
      has_memory: false,
      consistency: 'clean',
    })
  })

  it.for([
    [{ name: '  ' }, 'name', 'Please enter a snapshot name'],
    [{ name: undefined }, 'name', 'Please enter a snapshot name'],
    [{ snapshot_type: 'incremental' }, 'snapshot_type', 'Invalid snapshot type'],
    [{ snapshot_type: undefined }, 'snapshot_type', 'Invalid snapshot type'],
    [{ retention_days: 0 }, 'retention_days', 'Retention must be between 1 and 365 days'],
    [{ retention_days: 366 }, 'retention_days', 'Retention must be between 1 and 365 days'],
    [{ retention_days: 1.5 }, 'retention_days', 'Retention must be between 1 and 365 days'],
    [{ retention_days: '30' }, 'retention_days', 'Retention must be between 1 and 365 days'],
  ] as const)('400 for %j', async ([body, field, message], { desk }) => {
    const vmId = await desk.runningVm()
    expect(await desk.snapshotVm(vmId, body)).toMatchObject(refusal(400, message, field))
    expect(await desk.vmSnapshots()).toEqual([])
  })

  it('takes one after the other of the same VM; the one behind says what it waits for', async ({ desk }) => {
    const vmId = await desk.runningVm()
    const { body: first } = await desk.snapshotVm(vmId, { name: 'first' })
    const { body: second } = await desk.snapshotVm(vmId, { name: 'second' })
    await desk.app.clock.advance(200)
    expect(await desk.vmSnapshot(first.id)).toMatchObject({ status: 'creating' })
    expect(await desk.vmSnapshot(second.id)).toMatchObject({
      status: 'pending',
      status_message: 'Waiting for another snapshot of this VM.',
    })
    await desk.pass()
    expect((await desk.vmSnapshots()).map(({ status }) => status)).toEqual(['ready', 'ready'])
  })

  it('fails with the reason when the VM ends meanwhile or the host is full, and the VM is unharmed', async ({
    desk,
  }) => {
    const vmId = await desk.runningVm()
    const { body: lost } = await desk.snapshotVm(vmId)
    await desk.app.clock.advance(300)
    await desk.act('stop', vmId)
    await desk.app.engine.powerOff(vmId)
    await desk.pass()
    expect(await desk.vmSnapshot(lost.id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining('stopped while the snapshot was being created'),
    })
    const full = await desk.runningVm('fault-no-copies')
    const id = await desk.readyVmSnapshot(full)
    expect(await desk.vmSnapshot(id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining('not have enough space'),
    })
    expect((await desk.vm(full)).status).toBe('running')
    expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
  })

  it('lists the disks that it holds when one has left the VM since it was asked for', async ({ desk }) => {
    const { engine } = desk.app
    const [stays, leaves] = [await desk.readyDisk(), await desk.readyDisk()]
    const vmId = await desk.runningVm('vm', { disks: [{ disk_id: stays }, { disk_id: leaves }] })
    const { createMachineSnapshot } = engine
    engine.createMachineSnapshot = async (...args) => {
      await engine.detachVolume(vmId, leaves, args[2])
      return createMachineSnapshot(...args)
    }
    const id = await desk.readyVmSnapshot(vmId)
    expect((await desk.vmSnapshot(id))?.disks).toMatchObject([{ disk_id: stays }])
  })

  it('is failed, not forgotten, when the server is closed in the middle', async ({ desk }) => {
    const vmId = await desk.runningVm()
    const { body: snapshot } = await desk.snapshotVm(vmId)
    await desk.app.clock.advance(300)
    await desk.done(desk.app.restart())
    expect(await desk.vmSnapshot(snapshot.id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining('Create it again'),
    })
    expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
  })
})

describe('the list of VM snapshots', async () => {
  const desk = await openDesk()
  const web = await desk.runningVm('web')
  const db = await desk.runningVm('db')
  await desk.readyVmSnapshot(web, { name: 'a' })
  await desk.readyVmSnapshot(db, { name: 'b' })
  const broken = await desk.readyVmSnapshot(db, { name: 'c' })
  desk.app.engine.loseSnapshot('machine', broken)
  // Damage is found when somebody wants to use it.
  await desk.createDisk({ source: 'SNAPSHOT', disk_sansphot: 'c' })
  await desk.pass(60_000)

  it.each([
    ['', ['a', 'b', 'c']],
    ['?vm_name=web', ['a']],
    ['?vm_name=WEB', ['a']],
    [`?vm_id=${db}`, ['b', 'c']],
    ['?status=READY', ['a', 'b']],
    [`?status=error&vm_id=${db}`, ['c']],
    ['?vm_name=we', []],
    ['?vm_id=nobody', []],
    ['?vm_name=&vm_id=&status=', ['a', 'b', 'c']],
  ])('is filtered by %j, oldest first', async (query, names) => {
    expect((await desk.vmSnapshots(query)).map(({ name }) => name)).toEqual(names)
  })
})

/** Makes changing the disks of a restore as slow as on a cluster: they have changed, and it is not over. */
function changeDisksSlowly({ app: { engine, clock } }: Desk): string[] {
  const { switchDisks } = engine
  const safetyIds: string[] = []
  engine.switchDisks = async (machineId, safetyId, work) => {
    safetyIds.push(safetyId)
    const made = await switchDisks(machineId, safetyId, work)
    for (let minute = 1; minute <= 30; minute++) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(minutes, resolve)
      work.signal.addEventListener('abort', () => resolve())
      await promise
      cancel()
      if (work.signal.aborted) throw new EngineError('aborted', 'It was ended.', { retryable: true })
      work.onProgress(minute / 30)
    }
    return made
  }
  return safetyIds
}

it('a snapshot whose data cannot be removed now is tried again more and more rarely, and removed later', async () => {
  const desk = await deskWith(withoutBin)
  const { engine } = desk.app
  const vmId = await desk.stoppedVm()
  const id = await desk.readyVmSnapshot(vmId)
  const { deleteMachineSnapshot } = engine
  let tries = 0
  engine.deleteMachineSnapshot = () => {
    tries++
    throw new EngineError('internal', 'The cluster does not answer.', { retryable: true })
  }
  await desk.deleteVmSnapshot(id)
  await desk.pass(20_000)
  expect(tries).toBeGreaterThan(1)
  expect(tries).toBeLessThan(10)
  expect(await desk.namesIn('vm_snapshot')).toHaveLength(1)
  engine.deleteMachineSnapshot = deleteMachineSnapshot
  await desk.pass(2 * minutes)
  expect(await desk.namesIn('vm_snapshot')).toEqual([])
})

describe('changing the disks of a VM that is being restored', () => {
  async function changing(desk: Desk) {
    const vm = await changedVm(desk)
    const safetyIds = changeDisksSlowly(desk)
    await desk.restore(vm.id, vm.vmId)
    await desk.pass(10 * minutes)
    expect(safetyIds).toHaveLength(1)
    return { ...vm, safetyIds }
  }

  it('may take its time: the VM says how far it is, has no deadline, and it cannot be cancelled', async ({
    desk,
  }) => {
    const { vmId, root } = await changing(desk)
    await desk.pass(10 * minutes)
    expect(await desk.vm(vmId)).toMatchObject({
      status: 'starting',
      status_deadline: null,
      status_message: expect.stringMatching(/^Restoring from snapshot "snap": \d\d %\.$/),
    })
    expect((await desk.cancel(vmId)).status).toBe(404)
    await desk.pass(15 * minutes)
    expect(await desk.vm(vmId)).toMatchObject({ status: 'running', status_message: null })
    expect(root()).toBe('A')
    expect(await desk.namesIn('vm_snapshot')).toEqual(['snap', 'Before restoring "snap"'])
  })

  it('is finished by the next server when this one ends meanwhile', async ({ desk }) => {
    const { vmId, root, safetyIds } = await changing(desk)
    await desk.app.restart()
    await desk.pass(35 * minutes)
    expect(safetyIds).toHaveLength(2)
    expect(new Set(safetyIds).size).toBe(1)
    expect(await desk.vm(vmId)).toMatchObject({ status: 'running', status_message: null })
    expect(root()).toBe('A')
    expect(await desk.vmSnapshots()).toHaveLength(2)
  })

  it('ends with the VM when that is deleted, and leaves nothing', async () => {
    const desk = await deskWith(withoutBin)
    const { engine, vmId, id } = await changing(desk)
    expect((await desk.deleteVm(vmId)).status).toBe(204)
    await desk.pass()
    expect(await engine.list()).toEqual(new Map())
    expect(await engine.listSnapshots('machine')).toEqual([id])
    expect(await desk.vmSnapshots()).toMatchObject([{ id }])
  })

  it('is tried again for as long as it may come good, and says why', async ({ desk }) => {
    const { engine, vmId, id, root } = await changedVm(desk, 'stoppedVm')
    let tries = 0
    const { switchDisks } = engine
    engine.switchDisks = (...args) => {
      if (++tries > 8) return switchDisks(...args)
      throw new EngineError('internal', 'The cluster does not answer.', { retryable: true })
    }
    await desk.restore(id, vmId)
    await desk.pass(20_000)
    expect(await desk.vm(vmId)).toMatchObject({
      status: 'pending',
      status_message: expect.stringMatching(/^The cluster does not answer\. Trying again in \d+ s\.$/),
    })
    await desk.pass(20 * minutes)
    expect(tries).toBe(9)
    expect(await desk.vm(vmId)).toMatchObject({ status: 'stopped', status_message: null })
    expect(root()).toBe('A')
  })

  it('is given up after a quarter of an hour as long as the disks are as they were, and finished otherwise', async ({
    desk,
  }) => {
    const { engine, vmId, id, root } = await changedVm(desk, 'stoppedVm')
    const { switchDisks } = engine
    engine.switchDisks = async () => {
      throw new EngineError('volume-busy', 'A disk is still attached to another VM.', { retryable: true })
    }
    await desk.restore(id, vmId)
    await desk.pass(14 * minutes)
    expect((await desk.vm(vmId)).status_message).toMatch(/^A disk is still attached .* Trying again in/)
    await desk.pass(5 * minutes)
    expect(await desk.vm(vmId)).toMatchObject({
      status: 'stopped',
      status_message:
        'The VM could not be restored and is unchanged. A disk is still attached to another VM.',
    })
    expect(root()).toBe('B')
    expect(await desk.namesIn('vm_snapshot')).toHaveLength(1)
    engine.dropRestore = async () => 'begun'
    await desk.restore(id, vmId)
    await desk.pass(60 * minutes)
    expect((await desk.vm(vmId)).status_message).toMatch(/^A disk is still attached .* Trying again in/)
    engine.switchDisks = switchDisks
    await desk.pass(10 * minutes)
    expect(await desk.vm(vmId)).toMatchObject({ status: 'stopped', status_message: null })
    expect(root()).toBe('A')
  })

  it('that cannot be done at all hands over what the disks were, if that was saved by then', async ({
    desk,
  }) => {
    const { engine } = desk.app
    const vmId = await desk.stoppedVm()
    const id = await desk.readyVmSnapshot(vmId, { name: 'monday' })
    let isSaved = false
    engine.switchDisks = async (machineId, safetyId, work) => {
      const source = { machineId, volumeIds: [], memory: false }
      if (isSaved) await engine.createMachineSnapshot(safetyId, source, work)
      throw new EngineError('launch-failed', 'The cluster refused it: no.')
    }
    for (isSaved of [false, true]) {
      await desk.done(desk.restore(id, vmId))
      expect(await desk.vm(vmId)).toMatchObject({ status: 'error' })
      const rows = (await desk.vmSnapshots()).map((one) => one.id).sort()
      expect((await engine.listSnapshots('machine')).sort()).toEqual(rows)
      expect(rows).toHaveLength(isSaved ? 2 : 1)
    }
    expect((await desk.vm(vmId)).status_message).toMatch(
      /^The cluster refused it: no\. .* What its disks were is in the snapshot Before restoring "monday"\.$/,
    )
  })
})

describe('restoring a VM', () => {
  it('202 puts a running VM back: what was written before is there, what was written after is not', async ({
    desk,
  }) => {
    const diskId = await desk.readyDisk()
    desk.app.engine.poke({ volumeId: diskId }, 'data A')
    const disks = [{ disk_id: diskId }]
    const { engine, vmId, id, root } = await changedVm(desk, 'runningVm', { disks })
    engine.poke({ volumeId: diskId }, 'data B')

    const answer = await desk.restore(id, vmId)
    expect(answer).toMatchObject({
      status: 202,
      body: { message: 'VM restoration started successfully!', vm: { id: vmId, status: 'stopping' } },
    })
    const seen = new Set<VmStatus>()
    for (let i = 0; i < 80; i++) {
      await desk.app.clock.advance(100)
      seen.add((await desk.vm(vmId)).status)
    }
    expect([...seen]).toEqual(['stopping', 'starting', 'running'])
    expect(await desk.vm(vmId)).toMatchObject({ status_message: null })
    expect(root()).toBe('A')
    expect(engine.peek({ volumeId: diskId })).toBe('data A')
    expect(await desk.vmSnapshot(id)).toMatchObject({ status: 'ready' })
  })

  it('keeps what it replaced for a day, and restoring that undoes it', async ({ desk }) => {
    const { vmId, id, root } = await changedVm(desk, 'stoppedVm')
    await desk.restore(id, vmId)
    expect((await desk.vm(vmId)).status).toBe('pending')
    await desk.pass()
    expect(root()).toBe('A')
    const [, safety] = await desk.vmSnapshots()
    expect(safety).toMatchObject({
      name: 'Before restoring "snap"',
      automatic: true,
      status: 'ready',
      vm_id: vmId,
      retention_days: 1,
    })
    await desk.done(desk.restore(safety?.id ?? '', vmId))
    expect(root()).toBe('B')
    expect((await desk.vm(vmId)).status).toBe('stopped')
    await desk.pass(day + 120_000)
    expect(await desk.namesIn('vm_snapshot')).toEqual(['snap'])
  })

  it('names what it replaced after the snapshot, cut between characters when that is too long', async ({
    desk,
  }) => {
    const vmId = await desk.stoppedVm()
    const name = `${'x'.repeat(81)}🚀`
    const id = await desk.readyVmSnapshot(vmId, { name })
    await desk.done(desk.restore(id, vmId))
    const [, safety] = await desk.vmSnapshots()
    expect(safety?.name).toBe(`Before restoring "${'x'.repeat(81)}`)
  })

  it('resumes what was running from a full snapshot, also of a VM that is stopped now', async ({ desk }) => {
    const { engine } = desk.app
    const vmId = await desk.runningVm()
    engine.poke({ memoryOf: vmId }, 'counter at 7')
    const id = await desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
    engine.poke({ memoryOf: vmId }, 'counter at 99')
    await desk.done(desk.restore(id, vmId))
    expect(engine.peek({ memoryOf: vmId })).toBe('counter at 7')
    await desk.done(desk.act('stop', vmId))
    await desk.done(desk.restore(id, vmId))
    expect((await desk.vm(vmId)).status).toBe('running')
    expect(engine.peek({ memoryOf: vmId })).toBe('counter at 7')
    await desk.done(desk.act('restart', vmId))
    expect(engine.peek({ memoryOf: vmId })).toBe('')
  })

  it.for([false, true] as const)(
    'leaves a VM stopped whose user stopped it meanwhile, though the snapshot has memory (force: %s)',
    async (force, { desk }) => {
      const vmId = await desk.runningVm()
      const id = await desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
      desk.app.engine.poke({ memoryOf: vmId }, 'counter at 99')
      await desk.restore(id, vmId)
      await desk.app.clock.advance(300)
      expect((await desk.act('stop', vmId, { force })).status).toBe(202)
      await desk.done(desk.app.restart())
      expect((await desk.vm(vmId)).status).toBe('stopped')
      await desk.done(desk.act('start', vmId))
      expect((await desk.vm(vmId)).status).toBe('running')
      expect(desk.app.engine.peek({ memoryOf: vmId })).not.toBe('counter at 99')
    },
  )

  it('that is cancelled after its VM was stopped asks the guest to end, and does not cut it off', async ({
    desk,
  }) => {
    const vmId = await desk.runningVm()
    const id = await desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
    await desk.restore(id, vmId)
    await desk.app.clock.advance(300)
    expect((await desk.act('stop', vmId, { force: false })).status).toBe(202)
    const asked = vi.spyOn(desk.app.engine, 'powerDown')
    const cutOff = vi.spyOn(desk.app.engine, 'powerOff')
    expect((await desk.cancel(vmId)).status).toBe(204)
    await desk.pass()
    expect((await desk.vm(vmId)).status).toBe('stopped')
    expect(asked).toHaveBeenCalled()
    expect(cutOff).not.toHaveBeenCalled()
  })

  it('brings back a VM whose root disk is lost, and leaves it stopped', async ({ desk }) => {
    const { engine, vmId, id, root } = await changedVm(desk, 'stoppedVm')
    engine.loseRootDisk(vmId)
    await desk.done(desk.act('start', vmId))
    expect((await desk.vm(vmId)).status).toBe('error')
    expect((await desk.restore(id, vmId)).body).toMatchObject({ vm: { status: 'pending' } })
    await desk.pass()
    expect(await desk.vm(vmId)).toMatchObject({ status: 'stopped', status_message: null })
    await desk.done(desk.act('start', vmId))
    expect((await desk.vm(vmId)).status).toBe('running')
    expect(root()).toBe('A')
  })

  it('keeps the restored root disk of a VM that otherwise starts afresh, until its next start', async ({
    desk,
  }) => {
    const { vmId, id, root } = await changedVm(desk, 'runningVm', { persistent: false })
    await desk.done(desk.restore(id, vmId))
    expect(root()).toBe('A')
    await desk.done(desk.act('restart', vmId))
    expect(root()).toBe('')
  })

  it('leaves the VM as it was when the host has no room, and says so', async ({ desk }) => {
    const vmId = await desk.runningVm('fault-no-copies')
    const other = await desk.runningVm('other')
    const id = await desk.readyVmSnapshot(other)
    await desk.app.db.updateTable('vm_snapshot').set({ vm_id: vmId }).where('id', '=', id).execute()
    await desk.done(desk.restore(id, vmId))
    expect(await desk.vm(vmId)).toMatchObject({
      status: 'running',
      status_message: expect.stringMatching(/could not be restored and is unchanged.*not have enough space/),
    })
    expect(await desk.vmSnapshots()).toHaveLength(1)
  })

  it('goes on when the database takes nothing meanwhile, which ends no process', async ({ desk }) => {
    const { clock, db } = desk.app
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const { engine, vmId, id, root } = await changedVm(desk, 'stoppedVm')
    let reports = 0
    const { prepareRestore } = engine
    // A long copy: each report is shown, which writes.
    engine.prepareRestore = async (machineId, source, work) => {
      for (; reports < 8; reports++) {
        work.onProgress((reports + 1) / 10)
        await new Promise<void>((resolve) => clock.after(1100, resolve))
      }
      return prepareRestore(machineId, source, work)
    }
    await desk.restore(id, vmId)
    await desk.pass(2500)
    const begun = reports
    expect((await desk.vm(vmId)).status_message).toBe('Restoring from snapshot "snap": 30 %.')
    const allow = await refuse(db, 'update', 'vm')
    await desk.pass(4000)
    expect(reports - begun).toBeGreaterThan(2)
    // It ends meanwhile as well, and its outcome cannot be stored.
    await desk.pass(20_000)
    expect(root()).toBe('B')
    await allow()
    await desk.pass(120_000)
    expect(unhandled).toEqual([])
    expect(root()).toBe('A')
    expect(await desk.vm(vmId)).toMatchObject({ status: 'stopped', status_message: null })
    expect(await desk.namesIn('vm_snapshot')).toEqual(['snap', 'Before restoring "snap"'])
  })

  it('is finished by the next server when this one is closed in the middle', async ({ desk }) => {
    const { vmId, id, root } = await changedVm(desk)
    await desk.restore(id, vmId)
    await desk.app.clock.advance(300)
    await desk.done(desk.app.restart())
    expect((await desk.vm(vmId)).status).toBe('running')
    expect(root()).toBe('A')
    expect(await desk.vmSnapshots()).toHaveLength(2)
  })

  it('can be cancelled while it copies, over a restart as well: the VM is as it was and its status says so', async ({
    desk,
  }) => {
    const { vmId, id, root } = await changedVm(desk)
    await desk.restore(id, vmId)
    await desk.app.clock.advance(300)
    expect(await desk.operations()).toMatchObject([{ action: 'vmSnapshot.restore', can_cancel: true }])
    expect((await desk.cancel(vmId)).status).toBe(204)
    await desk.done(desk.app.restart())
    expect(await desk.vm(vmId)).toMatchObject({
      status: 'running',
      status_message: 'The restore was cancelled. The VM is unchanged.',
    })
    expect(root()).toBe('B')
    expect(await desk.vmSnapshots()).toHaveLength(1)
    // Nothing is left of it: the next restore is whole.
    await desk.done(desk.restore(id, vmId))
    expect(root()).toBe('A')
  })

  it('refuses another VM with 400, a deleted one, a snapshot that is not ready and a missing disk with 409', async ({
    desk,
  }) => {
    const { vmId, diskId } = await desk.vmWithDisk()
    const other = await desk.runningVm('other')
    const id = await desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
    for (const vm_id of [other, 'nobody'])
      expect(await desk.restore(id, vm_id)).toMatchObject(refusal(400, 'Snapshot belongs to another VM'))
    expect(await desk.restore(id, undefined)).toMatchObject(refusal(400, 'Please select a VM'))
    const { body: young } = await desk.snapshotVm(vmId)
    expect(await desk.restore(young.id, vmId)).toMatchObject(refusal(409, 'Snapshot is not ready'))
    await desk.pass()
    expect((await desk.detach(diskId)).status).toBe(200)
    expect(await desk.restore(id, vmId)).toMatchObject(
      refusal(409, 'Disk "data" of this snapshot is no longer attached to the VM'),
    )
    const { body: added } = await desk.createDisk({ name: 'added' })
    await desk.pass()
    for (const back of [diskId, added.id]) expect((await desk.attach(back, vmId)).status).toBe(200)
    await desk.pass()
    expect(await desk.restore(id, vmId)).toMatchObject(
      refusal(
        409,
        'Disk "added" is not in this snapshot, whose memory fits only the disks of that time. Detach it and restore again.',
      ),
    )
    expect((await desk.detach(diskId)).status).toBe(200)
    // Without memory, what is still there is put back.
    expect((await desk.restore(young.id, vmId)).status).toBe(202)
    await desk.pass()
    await desk.deleteVm(vmId)
    expect(await desk.restore(id, vmId)).toMatchObject(
      refusal(409, 'The VM of this snapshot no longer exists'),
    )
    expect((await desk.createDisk({ source: 'SNAPSHOT', disk_sansphot: 'snap' })).status).toBe(201)
  })

  it('blocks the deletion of the snapshot and of the VM until it is done; so does a snapshot under way', async ({
    desk,
  }) => {
    const vmId = await desk.runningVm()
    const id = await desk.readyVmSnapshot(vmId)
    await desk.restore(id, vmId)
    expect(await desk.deleteVmSnapshot(id)).toMatchObject(
      refusal(409, 'Snapshot is in use. Please try again later.'),
    )
    expect(await desk.deleteVm(vmId)).toMatchObject(
      refusal(409, 'This VM is being restored. Please try again later.'),
    )
    await desk.pass()
    await desk.snapshotVm(vmId)
    const busy = refusal(409, 'A snapshot of this VM is being created. Please try again later.')
    expect(await desk.deleteVm(vmId)).toMatchObject(busy)
    expect(await desk.restore(id, vmId)).toMatchObject(busy)
    await desk.pass()
    expect((await desk.deleteVmSnapshot(id)).status).toBe(204)
    expect((await desk.deleteVm(vmId)).status).toBe(204)
  })
})

describe('deleting a VM snapshot', () => {
  it('204 and it is gone from the list at once, and soon from the host; 404 afterwards', async () => {
    const desk = await deskWith(withoutBin)
    const id = await desk.readyVmSnapshot(await desk.runningVm())
    expect((await desk.deleteVmSnapshot(id)).status).toBe(204)
    expect(await desk.vmSnapshots()).toEqual([])
    expect((await desk.deleteVmSnapshot(id)).status).toBe(404)
    await desk.pass()
    expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
  })

  it('409 while a disk is made from it; the finished disk does not need it', async ({ desk }) => {
    const id = await desk.readyVmSnapshot(await desk.runningVm())
    await desk.createDisk({ source: 'SNAPSHOT', disk_sansphot: 'snap' })
    expect((await desk.deleteVmSnapshot(id)).status).toBe(409)
    await desk.pass()
    expect((await desk.deleteVmSnapshot(id)).status).toBe(204)
  })

  it('happens by itself when its days are over, and not before', async ({ desk }) => {
    const vmId = await desk.stoppedVm()
    await desk.readyVmSnapshot(vmId, { name: 'short', retention_days: 1 })
    await desk.readyVmSnapshot(vmId, { name: 'long', retention_days: 2 })
    await desk.pass(day - 120_000)
    expect(await desk.namesIn('vm_snapshot')).toEqual(['short', 'long'])
    await desk.pass(180_000)
    expect(await desk.namesIn('vm_snapshot')).toEqual(['long'])
    expect(await desk.app.engine.listSnapshots('machine')).toHaveLength(1)
  })

  it('does not happen because the clock of the host jumps forward, and does when the new time is real', async ({
    desk,
  }) => {
    const { clock } = desk.app
    await desk.readyVmSnapshot(await desk.stoppedVm(), { retention_days: 1 })
    clock.set(clock.now() + 400 * day)
    await desk.pass(3 * 60 * 60_000)
    expect(await desk.namesIn('vm_snapshot')).toEqual(['snap'])
    await desk.done(desk.app.restart())
    expect(await desk.namesIn('vm_snapshot')).toEqual(['snap'])
    await desk.pass(day)
    expect(await desk.namesIn('vm_snapshot')).toEqual([])
  })

  it('does not happen to one that was made while the clock of the host was behind, when that is put right', async ({
    desk,
  }) => {
    const { clock } = desk.app
    const vmId = await desk.stoppedVm()
    clock.set(clock.now() - 400 * day)
    const before = clock.now()
    const id = await desk.readyVmSnapshot(vmId, { retention_days: 1 })
    const key = { 'idempotency-key': randomUUID() }
    const create = () => desk.ada.raw('POST', '/api/projects', { name: 'once' }, key)
    const first = await create()
    clock.set(clock.now() + 400 * day)
    await desk.pass(3 * 60 * 60_000)
    expect(await desk.vmSnapshot(id)).toMatchObject({ status: 'ready' })
    expect(Date.parse((await desk.vmSnapshot(id))?.created_at ?? '')).toBeGreaterThan(before + 399 * day)
    expect(await create()).toMatchObject({ status: 201, body: first.body })
    await desk.pass(day)
    expect(await desk.namesIn('vm_snapshot')).toEqual([])
  })
})

describe('a VM snapshot whose files are gone', () => {
  it('is an error, and ready again when they are there again', async ({ desk }) => {
    const { engine } = desk.app
    const id = await desk.readyVmSnapshot(await desk.runningVm())
    const { inspectSnapshot, listSnapshots } = engine
    engine.inspectSnapshot = async () => ({ state: 'absent' })
    engine.listSnapshots = async () => []
    await desk.pass(60_000)
    expect((await desk.vmSnapshot(id))?.status).toBe('error')
    Object.assign(engine, { inspectSnapshot, listSnapshots })
    await desk.pass(60_000)
    expect(await desk.vmSnapshot(id)).toMatchObject({ status: 'ready', status_message: null })
    expect((await desk.createDisk({ source: 'SNAPSHOT', disk_sansphot: 'snap' })).status).toBe(201)
  })

  it('is not lost while they cannot be read', async ({ desk }) => {
    const { engine } = desk.app
    const id = await desk.readyVmSnapshot(await desk.runningVm())
    const { inspectSnapshot, listSnapshots } = engine
    engine.inspectSnapshot = async () => ({ state: 'unreadable', reason: 'Too many files are open.' })
    engine.listSnapshots = async () => []
    await desk.pass(60_000)
    expect(await desk.vmSnapshot(id)).toMatchObject({
      status: 'ready',
      status_message: expect.stringContaining('cannot be read at the moment. Too many files are open.'),
    })
    Object.assign(engine, { inspectSnapshot, listSnapshots })
    await desk.pass(120_000)
    expect(await desk.vmSnapshot(id)).toMatchObject({ status: 'ready', status_message: null })
  })
})

describe('what is allowed in which status', async () => {
  const desk = await openDesk()
  const vmId = await desk.runningVm()
  const id = await desk.readyVmSnapshot(vmId)
  const set = (status: string) =>
    desk.app.db.updateTable('vm_snapshot').set({ status }).where('id', '=', id).execute()

  for (const status of vmSnapshotStatuses.filter((word) => word !== 'deleting')) {
    it(`a snapshot that is ${status} ${status === 'ready' ? 'seeds a disk' : 'gives 409 for a disk and a restore'}`, async () => {
      await set(status)
      const disk = await desk.createDisk({ source: 'SNAPSHOT', disk_sansphot: 'snap' })
      expect(disk.status).toBe(status === 'ready' ? 201 : 409)
      if (status !== 'ready') expect((await desk.restore(id, vmId)).status).toBe(409)
    })
  }

  for (const status of vmStatuses) {
    const allowed = status === 'running' || status === 'stopped'
    it(`a snapshot of a VM that is ${status} is ${allowed ? '201' : '409'}`, async () => {
      await desk.app.db.updateTable('vm').set({ status }).where('id', '=', vmId).execute()
      const answer = await desk.snapshotVm(vmId)
      expect(answer.status).toBe(allowed ? 201 : 409)
      if (!allowed)
        expect(answer.body).toEqual({ message: 'VM must be running or stopped to create a snapshot' })
    })
  }
})
