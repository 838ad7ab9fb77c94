import { Disk, diskApi, diskStatuses } from '@slipway/contract'
import { describe, expect, vi } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import type { DiskTable } from '../db/schema.ts'
import { type Desk, deskWith, it, openDesk, refusal } from '../desk.test-kit.ts'
import { EngineError } from '../engine/engine.ts'
import { newId } from '../lib/id.ts'

const gib = 1024 ** 3

describe('the list of disks', async () => {
  const desk = await openDesk()
  const { body: vm } = await desk.createVm('holder')
  const free = await desk.readyDisk({ name: 'free', size: '10' })
  const held = await desk.readyDisk({ name: 'held' })
  const copied = await desk.readyDisk({ name: 'copied', source: 'HTTP', image_url: 'https://a.test/b.img' })
  await desk.readyDiskSnapshot(free, { name: 'first' })
  const again = await desk.readyDisk({ name: 'held copy', source: 'SNAPSHOT', disk_sansphot: 'first' })
  for (const id of [held, again]) await desk.attach(id, vm.id)
  await desk.pass()

  it('200 is a bare array, oldest first, with exactly the fields of the contract', async () => {
    const disks = await desk.disks()
    expect(disks.map((disk) => disk.name)).toEqual(['free', 'held', 'copied', 'held copy'])
    for (const disk of disks) expect(Object.keys(disk).sort()).toEqual(Object.keys(Disk.shape).sort())
    expect(disks).toMatchObject([
      { size: '10Gi', size_gb: 10, vm_id: null, vm_name: null, source: 'blank', disk_type: 'standard' },
      { status: 'attached', vm_id: vm.id, vm_name: 'holder' },
      { id: copied, source: 'image', image_url: 'https://a.test/b.img', size: '2Gi' },
      { id: again, source: 'snapshot', size: '10Gi' },
    ])
  })

  it.each([
    ['?status=available', ['free', 'copied']],
    ['?status=ATTACHED', ['held', 'held copy']],
    ['?status=melted', []],
    ['?source=blank', ['free', 'held']],
    ['?source=EMPTY', ['free', 'held']],
    ['?source=HTTP', ['copied']],
    ['?source=REGISTRY', ['copied']],
    ['?source=SNAPSHOT', ['held copy']],
    [`?vm_id=${vm.id}`, ['held', 'held copy']],
    ['?vm_id=nobody', []],
    ['?status=available&source=image', ['copied']],
    [`?status=attached&vm_id=${vm.id}`, ['held', 'held copy']],
    [`?status=attached&source=snapshot&vm_id=${vm.id}`, ['held copy']],
    [`?status=available&vm_id=${vm.id}`, []],
    ['?status=&source=&vm_id=', ['free', 'held', 'copied', 'held copy']],
  ])('can be filtered by %s', async (query, names) => {
    expect((await desk.disks(query)).map((disk) => disk.name)).toEqual(names)
  })

  it('400 for a filter given twice', async () => {
    const url = `/api/projects/${desk.params.projectId}/disks?status=a&status=b`
    expect((await desk.ada.raw('GET', url)).status).toBe(400)
  })
})

describe('creating a disk', () => {
  it('201 answers at once with the status creating, and the disk becomes available', async ({ desk }) => {
    const answer = await desk.createDisk({ name: ' data ', size: '3', description: ' mine ' })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'creating',
        name: 'data',
        description: 'mine',
        size: '3Gi',
        size_gb: 3,
        progress: null,
      },
    })
    await desk.pass()
    expect(await desk.disk(answer.body.id)).toMatchObject({ status: 'available', status_message: null })
    expect(desk.events).toContain('disk')
    expect(await desk.app.engine.inspectVolume(answer.body.id)).toEqual({
      state: 'whole',
      sizeBytes: 3 * gib,
    })
  })

  it('makes one of each source, with its content, and tells how far a long one is', async ({ desk }) => {
    const { engine } = desk.app
    const blank = await desk.readyDisk()
    engine.poke({ volumeId: blank }, 'payload')
    await desk.readyDiskSnapshot(blank, { name: 'of-disk' })
    const vmId = await desk.runningVm()
    engine.poke({ machineId: vmId }, 'root of the VM')
    const ofVm = await desk.readyVmSnapshot(vmId, { name: 'of-vm' })

    const url = 'https://images.test/disk.qcow2'
    const { body: http } = await desk.createDisk({ source: 'HTTP', image_url: url })
    await desk.app.clock.advance(700)
    const underWay = await desk.disk(http.id)
    expect(underWay?.status).toBe('creating')
    expect(underWay?.progress).toBeGreaterThan(0)
    const registry = await desk.readyDisk({ source: 'REGISTRY', image_url: 'alpine:3.20' })
    const fromDisk = await desk.readyDisk({ source: 'SNAPSHOT', disk_sansphot: 'of-disk' })
    const fromVm = await desk.readyDisk({ source: 'SNAPSHOT', disk_sansphot: 'x', snapshot_id: ofVm })

    const content = [http.id, registry, fromDisk, fromVm].map((volumeId) => engine.peek({ volumeId }))
    expect(content).toEqual([url, 'alpine:3.20', 'payload', 'root of the VM'])
    expect(await desk.disk(http.id)).toMatchObject({
      source: 'image',
      image_url: url,
      image_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      progress: null,
      // Larger content makes the disk larger (catalogue G-072).
      size: '2Gi',
    })
    expect(await desk.disk(registry)).toMatchObject({ source: 'image', image_url: 'alpine:3.20' })
    expect(await desk.disk(fromVm)).toMatchObject({ source: 'snapshot', image_sha256: null })
  })

  const name = { name: 'x' }
  const sized = { ...name, size: '1' }
  it.for([
    [{}, 'name', 'Please enter a disk name'],
    [{ name: '  ', size: '' }, 'name', 'Please enter a disk name'],
    [name, 'size', 'Please enter a disk size'],
    [{ ...name, size: '  ' }, 'size', 'Please enter a disk size'],
    [{ ...name, size: 'much', source: 'EMPTY' }, 'size', 'Please enter a valid disk size'],
    [{ ...name, size: '0', source: 'EMPTY' }, 'size', 'Please enter a valid disk size'],
    [{ ...name, size: '1025Gi', source: 'EMPTY' }, 'size', 'Disk size cannot exceed 1024Gi'],
    [sized, 'source', 'Invalid disk source'],
    [{ ...sized, source: 'blank' }, 'source', 'Invalid disk source'],
    [{ ...sized, source: 'HTTP' }, 'image_url', 'Please enter an image URL'],
    [{ ...sized, source: 'HTTP', image_url: '  ' }, 'image_url', 'Please enter an image URL'],
    [
      { ...sized, source: 'HTTP', image_url: 'file:///etc/passwd' },
      'image_url',
      'The image URL must start with http:// or https://',
    ],
    [{ ...sized, source: 'SNAPSHOT' }, 'disk_sansphot', 'Please enter a disk snapshot name'],
    // The correct spelling is not another name of the field (catalogue G-053).
    [
      { ...sized, source: 'SNAPSHOT', disk_snapshot: 's' },
      'disk_sansphot',
      'Please enter a disk snapshot name',
    ],
    [{ ...sized, source: 'SNAPSHOT', disk_sansphot: 's' }, 'disk_sansphot', 'Disk snapshot "s" not found'],
    [{ ...sized, source: 'REGISTRY' }, 'image_url', 'Please enter a container image'],
  ] as const)('400 for %j', async ([body, field, message], { desk }) => {
    expect(await desk.ada.call(diskApi.create, { params: desk.params, body })).toMatchObject(
      refusal(400, message, field),
    )
    expect(await desk.disks()).toEqual([])
  })

  it('400 for more than the operator allows', async () => {
    const desk = await deskWith({ maxDiskGb: 20 })
    const tooMuch = refusal(400, 'Disk size cannot exceed 20Gi')
    expect(await desk.createDisk({ size: '21' })).toMatchObject(tooMuch)
    const id = await desk.readyDiskSnapshot(await desk.readyDisk({ size: '20' }))
    expect(await desk.diskFrom(id, { name: 'x', size_gb: 21 })).toMatchObject(tooMuch)
  })

  it('finds a snapshot by name: a ready disk snapshot before a VM snapshot, the newest VM snapshot else', async ({
    desk,
  }) => {
    const { engine } = desk.app
    const vmId = await desk.runningVm()
    for (const root of ['older', 'newer']) {
      engine.poke({ machineId: vmId }, root)
      await desk.readyVmSnapshot(vmId, { name: 'nightly' })
    }
    const first = await desk.readyDisk({ source: 'SNAPSHOT', disk_sansphot: 'nightly' })
    const data = await desk.readyDisk()
    engine.poke({ volumeId: data }, 'data')
    await desk.readyDiskSnapshot(data, { name: 'nightly' })
    const second = await desk.readyDisk({ source: 'SNAPSHOT', disk_sansphot: 'nightly' })
    expect([first, second].map((volumeId) => engine.peek({ volumeId }))).toEqual(['newer', 'data'])
  })

  it('409 while the snapshot is not ready', async ({ desk }) => {
    await desk.snapshotDisk(await desk.readyDisk(), { name: 's' })
    expect(await desk.createDisk({ source: 'SNAPSHOT', disk_sansphot: 's' })).toMatchObject(
      refusal(409, 'Snapshot is not ready'),
    )
  })

  it('fails with the reason when the image is refused, leaves no bytes, and can be deleted', async ({
    desk,
  }) => {
    const id = await desk.readyDisk({ source: 'HTTP', image_url: 'https://a.test/fault-refused.img' })
    expect(await desk.disk(id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining('refused'),
      progress: null,
    })
    expect(await desk.app.engine.listVolumes()).toEqual([])
    expect((await desk.deleteDisk(id)).status).toBe(204)
    expect(await desk.disks()).toEqual([])
  })

  it('is begun again by the next server when this one is closed in the middle', async ({ desk }) => {
    const { body: disk } = await desk.createDisk({ source: 'HTTP', image_url: 'https://a.test/b.img' })
    await desk.app.clock.advance(400)
    expect((await desk.disk(disk.id))?.status).toBe('creating')
    await desk.done(desk.app.restart())
    expect(await desk.disk(disk.id)).toMatchObject({ status: 'available' })
  })
})

describe('putting a disk on a VM and taking it off', () => {
  it('200 attaches to a running and to a stopped VM; the VM shows the disk and has it', async ({ desk }) => {
    for (const vmId of [await desk.runningVm('up'), await desk.stoppedVm('down')]) {
      const diskId = await desk.readyDisk()
      const answer = await desk.attach(diskId, vmId)
      expect(answer).toMatchObject({ status: 200, body: { status: 'attached', vm_id: vmId } })
      expect((await desk.vm(vmId)).disks).toEqual([{ disk_id: diskId, name: 'data', size: '1Gi' }])
      await desk.pass()
      expect(desk.app.engine.volumesOf(vmId)).toEqual([diskId])
    }
  })

  it('200 detaches, after which the disk is available and the VM has none', async ({ desk }) => {
    const { vmId, diskId } = await desk.vmWithDisk()
    expect(await desk.detach(diskId)).toMatchObject({
      status: 200,
      body: { status: 'available', vm_id: null, vm_name: null },
    })
    expect((await desk.vm(vmId)).disks).toEqual([])
    await desk.done(desk.act('stop', vmId))
    expect((await desk.attach(diskId, vmId)).status).toBe(200)
    expect((await desk.detach(diskId)).status).toBe(200)
  })

  it('409 when the guest does not let go, and nothing has changed', async ({ desk }) => {
    const { vmId, diskId } = await desk.vmWithDisk('fault-clings')
    expect(await desk.detach(diskId)).toMatchObject(
      refusal(409, 'The VM did not release the disk. Stop the VM and try again.'),
    )
    expect(await desk.disk(diskId)).toMatchObject({ status: 'attached', vm_id: vmId })
    await desk.done(desk.act('stop', vmId))
    expect((await desk.detach(diskId)).status).toBe(200)
  })

  it('409 when the guest lets go too late; then the disk is put back', async ({ desk }) => {
    const { engine } = desk.app
    const { vmId, diskId } = await desk.vmWithDisk()
    const { promise: late, resolve: arrives } = Promise.withResolvers<void>()
    const letGo = engine.detachVolume
    engine.detachVolume = async (...args) => {
      const answer = await letGo(...args)
      await late
      return answer
    }
    const put = vi.spyOn(engine, 'attachVolume')
    expect((await desk.detach(diskId)).status).toBe(409)
    arrives()
    await desk.pass()
    expect(await desk.disk(diskId)).toMatchObject({ status: 'attached', vm_id: vmId })
    expect(put).toHaveBeenCalledWith(vmId, diskId)
    expect((await desk.detach(diskId)).status).toBe(200)
  })

  it('409 when the detach waits for its turn too long; then the guest is not asked any more', async ({
    desk,
  }) => {
    const { engine } = desk.app
    const { vmId, diskId } = await desk.vmWithDisk()
    const { promise: turn, resolve: comes } = Promise.withResolvers<void>()
    const detachVolume = engine.detachVolume
    const outcomes: unknown[] = []
    engine.detachVolume = async (...args) => {
      await turn
      const outcome = detachVolume(...args)
      outcome.catch(() => {}).finally(() => outcomes.push(outcome))
      return outcome
    }
    expect((await desk.detach(diskId)).status).toBe(409)
    comes()
    await desk.pass()
    expect(outcomes).toHaveLength(1)
    await expect(outcomes[0]).rejects.toMatchObject({ code: 'aborted' })
    expect(engine.volumesOf(vmId)).toEqual([diskId])
    expect(await desk.disk(diskId)).toMatchObject({
      status: 'attached',
      vm_id: vmId,
      status_message: null,
    })
    expect((await desk.detach(diskId)).status).toBe(200)
  })

  it('409 for a disk that is on no VM, for one that is on another, and for a VM on its way up', async ({
    desk,
  }) => {
    const diskId = await desk.readyDisk()
    expect(await desk.detach(diskId)).toMatchObject(refusal(409, 'Disk is not attached to a VM'))
    const vmId = await desk.runningVm()
    const { body: coming } = await desk.createVm('coming')
    expect(await desk.attach(diskId, coming.id)).toMatchObject(refusal(409, 'VM must be running or stopped'))
    await desk.attach(diskId, vmId)
    expect(await desk.attach(diskId, vmId)).toMatchObject(refusal(409, 'Disk "data" is not available'))
    await desk.act('restart', vmId)
    expect(await desk.detach(diskId)).toMatchObject(
      refusal(409, 'Disk cannot be detached while its VM is stopping'),
    )
  })

  it.for([[undefined], [''], ['nobody']] as const)('400 for the VM %j', async ([vmId], { desk }) => {
    expect(await desk.attach(await desk.readyDisk(), vmId)).toMatchObject(
      refusal(400, 'Please select a VM', 'vm_id'),
    )
  })

  it('gives a disk to one of two VMs that ask at once, and two detachments at once end in the same', async ({
    desk,
  }) => {
    const diskId = await desk.readyDisk()
    const vms = [await desk.runningVm('a'), await desk.runningVm('b')]
    const answers = await Promise.all(vms.map((vmId) => desk.attach(diskId, vmId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const both = Promise.all([desk.detach(diskId), desk.detach(diskId)])
    expect((await both).map(({ status }) => status)).toEqual([200, 200])
    expect(await desk.disk(diskId)).toMatchObject({ status: 'available', vm_id: null })
  })

  it('frees the disks of a VM that is deleted, and keeps their content', async ({ desk }) => {
    const { vmId, diskId } = await desk.vmWithDisk()
    desk.app.engine.poke({ volumeId: diskId }, 'precious')
    expect((await desk.deleteVm(vmId)).status).toBe(204)
    expect(await desk.disk(diskId)).toMatchObject({ status: 'available', vm_id: null })
    await desk.pass()
    const next = await desk.runningVm('next')
    expect((await desk.attach(diskId, next)).status).toBe(200)
    expect(desk.app.engine.peek({ volumeId: diskId })).toBe('precious')
  })
})

describe('a VM that is busy with something long', () => {
  it('keeps disks that are put on it waiting, and nobody else', async ({ desk }) => {
    const { engine } = desk.app
    const { attachVolume } = engine
    const vmId = await desk.stoppedVm()
    const other = await desk.stoppedVm('other')
    // The engine lets it wait while the machine is being copied.
    const { promise: copied, resolve: letGo } = Promise.withResolvers<void>()
    engine.attachVolume = async (...args) => {
      await copied
      await attachVolume(...args)
    }
    for (let i = 0; i < 30; i++)
      await desk.attach(await desk.readyDisk({ name: `d${i}` }), i < 15 ? vmId : other)
    await desk.pass()
    expect((await desk.disk(await desk.readyDisk({ name: 'blank' })))?.status).toBe('available')
    letGo()
    await desk.pass()
    expect(engine.volumesOf(vmId)).toHaveLength(15)
    expect(engine.volumesOf(other)).toHaveLength(15)
  })

  it('lets go of a disk at once that it could not be given so far', async ({ desk }) => {
    const { engine } = desk.app
    const vmId = await desk.stoppedVm()
    const diskId = await desk.readyDisk()
    engine.attachVolume = async () => {
      throw new EngineError('volume-busy', 'Another VM still has the disk.', { retryable: true })
    }
    await desk.attach(diskId, vmId)
    await desk.pass(60_000)
    expect(await desk.disk(diskId)).toMatchObject({
      status: 'attached',
      status_message: expect.stringMatching(/^Another VM still has the disk\. Trying again in \d+ s\.$/),
    })
    expect(await desk.detach(diskId)).toMatchObject({ status: 200, body: { status: 'available' } })
  })
})

describe('deleting a disk', () => {
  /** Of the looks of disks. */
  const failedLooks = async ({ app }: Pick<Desk, 'app'>): Promise<number> => {
    const headers = { authorization: 'Bearer operator-token' }
    const { body } = await app.app.inject({ method: 'GET', url: '/metrics', headers })
    const line = /slipway_reconciler_looks_total\{reconciler="disk",outcome="failed"\} (\d+)/.exec(body)
    return Number(line?.[1])
  }

  const stillBusy = () => {
    throw new EngineError('volume-busy', 'Another VM still has the disk.', { retryable: true })
  }

  it('that goes with its project waits for the guest that has it, which is no failure', async ({ desk }) => {
    const { engine } = desk.app
    const vmId = await desk.runningVm('web')
    for (const name of ['one', 'two']) await desk.attach(await desk.readyDisk({ name }), vmId)
    await desk.pass()
    const remove = engine.deleteVolume
    let tries = 0
    engine.deleteVolume = async (id) => (++tries <= 6 ? stillBusy() : remove(id))
    const url = `/api/projects/${desk.params.projectId}?with_vms=true&for_good=true`
    expect((await desk.ada.raw('DELETE', url)).status).toBe(204)
    await desk.pass()
    expect(await engine.listVolumes()).toEqual([])
    expect(tries).toBe(8)
    expect(await failedLooks(desk)).toBe(0)
  })

  it('that a guest does not let go of is a failure after a while, and is tried on', async ({ desk }) => {
    const diskId = await desk.readyDisk()
    const { engine } = desk.app
    const remove = engine.deleteVolume
    engine.deleteVolume = async () => stillBusy()
    await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}/disks/${diskId}?for_good=true`)
    await desk.pass(60_000)
    expect(await failedLooks(desk)).toBe(0)
    await desk.pass(2 * 60_000)
    expect(await failedLooks(desk)).toBeGreaterThan(0)
    engine.deleteVolume = remove
    await desk.pass(2 * 60_000)
    expect(await engine.listVolumes()).toEqual([])
  })

  it('204 and it is gone from the list at once, and soon from the host', async () => {
    const desk = await deskWith(withoutBin)
    const id = await desk.readyDisk()
    expect((await desk.deleteDisk(id)).status).toBe(204)
    expect(await desk.disks()).toEqual([])
    expect((await desk.deleteDisk(id)).status).toBe(404)
    await desk.pass()
    expect(await desk.app.engine.listVolumes()).toEqual([])
    expect(await desk.namesIn('disk')).toEqual([])
  })

  it('409 while it is attached, being created, or being copied', async ({ desk }) => {
    const { body: young } = await desk.createDisk({ source: 'HTTP', image_url: 'https://a.test/b.img' })
    expect(await desk.deleteDisk(young.id)).toMatchObject(
      refusal(409, 'Disk is being created. Please try again later.'),
    )
    const { vmId, diskId: held } = await desk.vmWithDisk()
    expect(await desk.deleteDisk(held)).toMatchObject(
      refusal(409, 'Disk is attached to a VM. Detach it first.'),
    )
    const copied = await desk.readyDisk()
    await desk.snapshotDisk(copied)
    const busy = refusal(409, expect.stringContaining('snapshot of this disk'))
    expect(await desk.deleteDisk(copied)).toMatchObject(busy)
    expect(await desk.attach(copied, vmId)).toMatchObject(busy)
    await desk.snapshotVm(vmId)
    expect(await desk.detach(held)).toMatchObject(busy)
    await desk.pass()
    expect((await desk.detach(held)).status).toBe(200)
  })

  it('goes with its project, bytes included', async () => {
    const desk = await deskWith(withoutBin)
    const id = await desk.readyDisk()
    await desk.readyDiskSnapshot(id)
    const vmId = await desk.runningVm()
    await desk.readyVmSnapshot(vmId)
    await desk.deleteVm(vmId)
    expect((await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}`)).status).toBe(204)
    await desk.pass(60_000)
    const { engine } = desk.app
    expect(await engine.listVolumes()).toEqual([])
    for (const what of ['machine', 'volume'] as const) expect(await engine.listSnapshots(what)).toEqual([])
    for (const table of ['disk', 'disk_snapshot', 'vm_snapshot'] as const)
      expect(await desk.namesIn(table)).toEqual([])
  })
})

describe('a disk whose data is gone', () => {
  it('is an error that says so, can be detached and deleted, and is not copied', async ({ desk }) => {
    const diskId = await desk.readyDisk()
    await desk.runningVm('vm', { disks: [{ disk_id: diskId }] })
    await desk.app.engine.powerOff((await desk.disk(diskId))?.vm_id ?? '')
    desk.app.engine.dropVolume(diskId)
    await desk.pass(60_000)
    expect(await desk.disk(diskId)).toMatchObject({
      status: 'error',
      status_message: expect.stringContaining('missing or damaged'),
      vm_id: expect.any(String),
    })
    expect((await desk.snapshotDisk(diskId)).status).toBe(409)
    expect(await desk.detach(diskId)).toMatchObject({ status: 200, body: { status: 'error', vm_id: null } })
    expect((await desk.deleteDisk(diskId)).status).toBe(204)
  })

  it('is what it was again when the data is there again, as after volumes were mounted too late', async ({
    desk,
  }) => {
    const { engine } = desk.app
    const free = await desk.readyDisk({ name: 'free' })
    const held = await desk.readyDisk({ name: 'held' })
    const vmId = await desk.runningVm('vm', { disks: [{ disk_id: held }] })
    const { inspectVolume, listVolumes } = engine
    engine.inspectVolume = async () => ({ state: 'absent' })
    engine.listVolumes = async () => []
    await desk.app.restart()
    await desk.pass(60_000)
    for (const id of [free, held]) expect((await desk.disk(id))?.status).toBe('error')
    Object.assign(engine, { inspectVolume, listVolumes })
    await desk.app.restart()
    await desk.pass(60_000)
    expect(await desk.disk(free)).toMatchObject({ status: 'available', status_message: null })
    expect(await desk.disk(held)).toMatchObject({ status: 'attached', vm_id: vmId, status_message: null })
    const told = await desk.app.db.selectFrom('activity').select(['kind', 'action']).execute()
    const found = { kind: 'repair', action: 'disk.found' }
    expect(told.filter(({ action }) => action === found.action)).toEqual([found, found])
  })

  it('is not lost while its data cannot be read, says so, and no longer says so afterwards', async ({
    desk,
  }) => {
    const { engine } = desk.app
    const id = await desk.readyDisk()
    const { inspectVolume, listVolumes } = engine
    engine.inspectVolume = async () => ({ state: 'unreadable', reason: 'Too many files are open.' })
    engine.listVolumes = async () => []
    await desk.pass(120_000)
    expect(await desk.disk(id)).toMatchObject({
      status: 'available',
      status_message: expect.stringMatching(
        /cannot be read at the moment. Too many files are open. Slipway tries again/,
      ),
    })
    Object.assign(engine, { inspectVolume, listVolumes })
    await desk.pass(120_000)
    expect(await desk.disk(id)).toMatchObject({ status: 'available', status_message: null })
  })
})

describe('what is allowed in which status', async () => {
  const desk = await openDesk()
  const vmId = await desk.runningVm()
  const set = (id: string, values: { status: DiskTable['status']; vm_id?: null }) =>
    desk.app.db.updateTable('disk').set(values).where('id', '=', id).execute()
  const actions = {
    attach: { in: ['available'], act: (id: string) => desk.attach(id, vmId) },
    delete: { in: ['available', 'failed', 'error'], act: desk.deleteDisk },
    snapshot: {
      in: ['available', 'attached'],
      act: (id: string) => desk.snapshotDisk(id, { name: newId() }),
    },
  }
  for (const status of diskStatuses.filter((word) => word !== 'deleting')) {
    for (const [action, { in: those, act }] of Object.entries(actions)) {
      const allowed = those.includes(status)
      it(`${action} a disk that is ${status}: ${allowed ? 'yes' : '409'}`, async () => {
        const id = await desk.readyDisk()
        await (status === 'attached' ? desk.attach(id, vmId) : set(id, { status }))
        const answer = await act(id)
        expect(answer.status < 300 || answer.status).toBe(allowed || 409)
        await set(id, { status: 'failed', vm_id: null })
      })
    }
  }
})

it('a disk and a snapshot say since when they have their status, whatever changes it', async ({ desk }) => {
  const { clock, subscribe } = desk.app
  type Told = { id: string; status?: string; status_since?: string }
  const last = new Map<string, Told>()
  const changes: string[] = []
  subscribe(desk.params.projectId, (event, data) => {
    const told = data as Told
    if (event === 'vm' || told.status === undefined) return
    const before = last.get(told.id)
    last.set(told.id, told)
    if (before?.status === told.status) return
    changes.push(`${event} ${told.status}`)
    expect(told.status_since, changes.at(-1)).toBe(new Date(clock.now()).toISOString())
  })
  const { vmId, diskId } = await desk.vmWithDisk()
  await desk.detach(diskId)
  await desk.done(desk.attach(diskId, vmId))
  const since = (await desk.disk(diskId))?.status_since
  await desk.readyVmSnapshot(vmId)
  await desk.readyDiskSnapshot(diskId)
  expect((await desk.disk(diskId))?.status_since).toBe(since)
  await desk.done(desk.deleteVm(vmId))
  await desk.readyDisk({ source: 'HTTP', image_url: 'https://a.test/fault-refused.img' })
  desk.app.engine.dropVolume(diskId)
  await desk.pass(60_000)
  expect(changes).toEqual([
    ...['disk creating', 'disk available', 'disk attached', 'disk available', 'disk attached'],
    ...['vm_snapshot pending', 'vm_snapshot creating', 'vm_snapshot ready'],
    ...['disk_snapshot creating', 'disk_snapshot ready'],
    ...['disk available', 'disk creating', 'disk failed', 'disk error'],
  ])
})
