import { DiskSnapshot } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { deskWith, it, openDesk, refusal } from '../desk.test-kit.ts'

const day = 24 * 60 * 60_000

describe('taking a snapshot of a disk', () => {
  it('201 answers at once with the status creating, and the snapshot becomes ready', async ({ desk }) => {
    const diskId = await desk.readyDisk({ name: 'ledger', size: '10' })
    const answer = await desk.snapshotDisk(diskId, {
      name: ' nightly ',
      description: 'd',
      retention_days: 3650,
    })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(DiskSnapshot.shape).sort())
    expect(answer.body).toMatchObject({
      name: 'nightly',
      description: 'd',
      status: 'creating',
      disk_id: diskId,
      disk_name: 'ledger',
      size: '10Gi',
      stored_mb: null,
      parent_id: null,
    })
    await desk.app.clock.advance(500)
    expect((await desk.diskSnapshot(answer.body.id))?.progress).toBeGreaterThan(0)
    await desk.pass()
    const ready = await desk.diskSnapshot(answer.body.id)
    expect(ready).toMatchObject({ status: 'ready', consistency: 'clean', status_message: null })
    expect(ready?.stored_mb).toBeGreaterThan(0)
    expect(Date.parse(ready?.expires_at ?? '') - Date.parse(ready?.created_at ?? '')).toBe(3650 * day)
    expect(desk.events).toContain('disk_snapshot')
  })

  it.for([
    [{ name: ' ' }, 'name', 'Please enter a snapshot name'],
    [{ name: undefined, disk_id: undefined }, 'name', 'Please enter a snapshot name'],
    [{ disk_id: undefined }, 'disk_id', 'Please select a disk to snapshot'],
    [{ disk_id: '' }, 'disk_id', 'Please select a disk to snapshot'],
    [{ disk_id: 'nobody' }, 'disk_id', 'Please select a disk to snapshot'],
    [{ retention_days: 0 }, 'retention_days', 'Minimum: 1 day, Maximum: 10 years'],
    [{ retention_days: 3651 }, 'retention_days', 'Minimum: 1 day, Maximum: 10 years'],
    [{ retention_days: 'x' }, 'retention_days', 'Minimum: 1 day, Maximum: 10 years'],
    [{ snapshot_type: 'disk' }, 'snapshot_type', 'Invalid snapshot type'],
  ] as const)('400 for %j', async ([body, field, message], { desk }) => {
    expect(await desk.snapshotDisk(await desk.readyDisk(), body)).toMatchObject(refusal(400, message, field))
    expect(await desk.diskSnapshots()).toEqual([])
  })

  it('409 for a name that is taken, also when two ask at once; free again after the deletion', async ({
    desk,
  }) => {
    const diskId = await desk.readyDisk()
    const answers = await Promise.all([1, 2].map(() => desk.snapshotDisk(diskId, { name: 'one' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      message: 'A disk snapshot named "one" already exists in this project',
    })
    await desk.pass()
    const [{ id } = { id: '' }] = await desk.diskSnapshots()
    await desk.deleteDiskSnapshot(id)
    expect((await desk.snapshotDisk(diskId, { name: 'one' })).status).toBe(201)
  })

  it('is failed, not forgotten, when the server is closed in the middle, and its name can be deleted', async ({
    desk,
  }) => {
    const { body: snapshot } = await desk.snapshotDisk(await desk.readyDisk())
    await desk.app.clock.advance(300)
    await desk.done(desk.app.restart())
    expect(await desk.diskSnapshot(snapshot.id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining('Create it again'),
    })
    expect((await desk.deleteDiskSnapshot(snapshot.id)).status).toBe(204)
  })
})

describe('a chain of incremental snapshots', () => {
  it('keeps every state of the disk, whichever of them are deleted', async () => {
    const desk = await deskWith(withoutBin)
    const { engine } = desk.app
    const diskId = await desk.readyDisk()
    const ids: string[] = []
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      engine.poke({ volumeId: diskId }, text)
      ids.push(await desk.readyDiskSnapshot(diskId, { name: text, snapshot_type: 'incremental' }))
    }
    const parents = async () => (await desk.diskSnapshots()).map(({ parent_id }) => parent_id)
    const told = new Map<string, unknown>()
    const stop = desk.app.subscribe(desk.params.projectId, (event, data) => {
      const { id, parent_id } = data as { id: string; parent_id?: string | null }
      if (event === 'disk_snapshot') told.set(id, parent_id)
    })
    expect(await parents()).toEqual([null, ...ids.slice(0, 4)])
    for (const middle of [ids[1], ids[3], ids[2]]) {
      expect((await desk.deleteDiskSnapshot(middle ?? '')).status).toBe(204)
      await desk.pass()
    }
    expect(await parents()).toEqual([null, ids[0]])
    // Those who only listen know upon what the last one builds now.
    expect(told.get(ids[4] ?? '')).toBe(ids[0])
    stop()
    await desk.done(desk.deleteDiskSnapshot(ids[0] ?? ''))
    expect(await parents()).toEqual([null])
    const { body: disk } = await desk.diskFrom(ids[4] ?? '', { name: 'back', size_gb: 1 })
    await desk.pass()
    expect(engine.peek({ volumeId: disk.id })).toBe('five')
  })

  it('builds upon the newest ready snapshot of the same disk only', async ({ desk }) => {
    const one = await desk.readyDisk()
    const other = await desk.readyDisk()
    const first = await desk.readyDiskSnapshot(one, { name: 'first' })
    await desk.readyDiskSnapshot(other, { name: 'elsewhere' })
    const second = await desk.readyDiskSnapshot(one, { name: 'second', snapshot_type: 'incremental' })
    const full = await desk.readyDiskSnapshot(one, { name: 'full' })
    const third = await desk.readyDiskSnapshot(one, { name: 'third', snapshot_type: 'incremental' })
    const of = async (id: string) => (await desk.diskSnapshot(id))?.parent_id
    expect([await of(second), await of(full), await of(third)]).toEqual([first, null, full])
  })

  it('409 for a deletion while the chain is being changed', async () => {
    const desk = await deskWith(withoutBin)
    const diskId = await desk.readyDisk()
    const first = await desk.readyDiskSnapshot(diskId, { name: 'first' })
    const second = await desk.readyDiskSnapshot(diskId, { name: 'second', snapshot_type: 'incremental' })
    const { body: third } = await desk.snapshotDisk(diskId, { name: 'third', snapshot_type: 'incremental' })
    const inUse = refusal(409, 'Snapshot is in use. Please try again later.')
    expect(await desk.deleteDiskSnapshot(third.id)).toMatchObject(inUse)
    expect(await desk.deleteDiskSnapshot(second)).toMatchObject(inUse)
    await desk.pass()
    expect((await desk.deleteDiskSnapshot(first)).status).toBe(204)
    expect(await desk.deleteDiskSnapshot(second)).toMatchObject(inUse)
    await desk.pass()
    expect((await desk.deleteDiskSnapshot(second)).status).toBe(204)
  })
})

describe('the list of disk snapshots', async () => {
  const desk = await openDesk()
  const ledger = await desk.readyDisk({ name: 'ledger' })
  const journal = await desk.readyDisk({ name: 'journal' })
  await desk.readyDiskSnapshot(ledger, { name: 'a' })
  await desk.readyDiskSnapshot(journal, { name: 'b' })
  await desk.snapshotDisk(journal, { name: 'c' })
  it.each([
    ['', ['a', 'b', 'c']],
    ['?disk_name=LEDGER', ['a']],
    [`?disk_id=${journal}`, ['b', 'c']],
    ['?status=ready', ['a', 'b']],
    [`?status=CREATING&disk_name=journal`, ['c']],
    ['?disk_id=nobody', []],
    ['?disk_name=&disk_id=&status=', ['a', 'b', 'c']],
  ])('is filtered by %j, oldest first', async (query, names) => {
    expect((await desk.diskSnapshots(query)).map(({ name }) => name)).toEqual(names)
  })
})

describe('a disk from a disk snapshot', () => {
  it('201 has the content of that moment and stands by itself', async ({ desk }) => {
    const { engine } = desk.app
    const diskId = await desk.readyDisk({ size: '20Gi' })
    engine.poke({ volumeId: diskId }, 'then')
    const id = await desk.readyDiskSnapshot(diskId)
    engine.poke({ volumeId: diskId }, 'now')
    const answer = await desk.diskFrom(id, { name: 'copy', description: 'Created from snapshot: snap' })
    expect(answer).toMatchObject({
      status: 201,
      // Ten unless said otherwise, and never less than the snapshot (catalogue G-060).
      body: {
        status: 'creating',
        source: 'snapshot',
        size_gb: 20,
        description: 'Created from snapshot: snap',
      },
    })
    expect((await desk.deleteDiskSnapshot(id)).status).toBe(409)
    await desk.pass()
    expect((await desk.deleteDisk(diskId)).status).toBe(204)
    expect((await desk.deleteDiskSnapshot(id)).status).toBe(204)
    await desk.pass()
    expect(await desk.disk(answer.body.id)).toMatchObject({ status: 'available' })
    expect(engine.peek({ volumeId: answer.body.id })).toBe('then')
  })

  it('is as large as asked when that is more, and ten when nothing is asked', async ({ desk }) => {
    const id = await desk.readyDiskSnapshot(await desk.readyDisk({ size: '2' }))
    expect((await desk.diskFrom(id, { name: 'a', size_gb: 30 })).body).toMatchObject({ size_gb: 30 })
    expect((await desk.diskFrom(id, { name: 'b' })).body).toMatchObject({ size_gb: 10 })
    expect((await desk.diskFrom(id, { name: 'c', size_gb: 1 })).body).toMatchObject({ size_gb: 2 })
  })

  it.for([
    [{ name: ' ' }, 'Please enter a disk name'],
    [{ name: 'x', size_gb: 0 }, 'Please enter a valid disk size'],
    [{ name: 'x', size_gb: 1.5 }, 'Please enter a valid disk size'],
    [{ name: 'x', size_gb: '10' }, 'Please enter a valid disk size'],
    [{ name: 'x', size_gb: 1025 }, 'Disk size cannot exceed 1024Gi'],
  ] as const)('400 for %j', async ([body, message], { desk }) => {
    const id = await desk.readyDiskSnapshot(await desk.readyDisk())
    expect(await desk.diskFrom(id, body)).toMatchObject(refusal(400, message))
  })

  it('409 while the snapshot is not ready, and the disk fails when its files are damaged', async ({
    desk,
  }) => {
    const { body: young } = await desk.snapshotDisk(await desk.readyDisk())
    expect(await desk.diskFrom(young.id, { name: 'x' })).toMatchObject(refusal(409, 'Snapshot is not ready'))
    await desk.pass()
    desk.app.engine.loseSnapshot('volume', young.id)
    const { body: disk } = await desk.diskFrom(young.id, { name: 'x' })
    await desk.pass()
    expect(await desk.disk(disk.id)).toMatchObject({ status: 'failed' })
    expect(await desk.diskSnapshot(young.id)).toMatchObject({
      status: 'error',
      status_message: expect.stringContaining('damaged'),
    })
    expect((await desk.deleteDiskSnapshot(young.id)).status).toBe(204)
  })
})

it('damage in what a disk snapshot builds upon is found by a check, once a disk could not be made of it', async ({
  desk,
}) => {
  const { engine } = desk.app
  const diskId = await desk.readyDisk()
  const first = await desk.readyDiskSnapshot(diskId)
  const second = await desk.readyDiskSnapshot(diskId, { name: 'second', snapshot_type: 'incremental' })
  const checked: string[] = []
  const { checkSnapshot } = engine
  engine.checkSnapshot = (...args) => {
    checked.push(args[1])
    return checkSnapshot(...args)
  }
  await desk.done(desk.app.restart())
  expect(checked).toEqual([])

  engine.loseSnapshot('volume', first)
  const { body: disk } = await desk.diskFrom(second, { name: 'x' })
  await desk.pass(2 * 60_000)
  expect(await desk.disk(disk.id)).toMatchObject({ status: 'failed' })
  expect(await desk.diskSnapshot(second)).toMatchObject({
    status: 'error',
    status_message: expect.stringContaining('damaged'),
  })
  // It looks whole all the time, and stays what it is until it was read again.
  await desk.pass(8 * 60_000)
  expect(checked).toEqual([second])
  expect(await desk.diskSnapshot(second)).toMatchObject({ status: 'error' })
  engine.findSnapshot('volume', first)
  await desk.pass(4 * 60_000)
  expect(await desk.diskSnapshot(second)).toMatchObject({ status: 'ready', status_message: null })
})

describe('deleting a disk snapshot', () => {
  it('204 and it is gone from the list at once, and soon from the host; 404 afterwards', async () => {
    const desk = await deskWith(withoutBin)
    const id = await desk.readyDiskSnapshot(await desk.readyDisk())
    expect((await desk.deleteDiskSnapshot(id)).status).toBe(204)
    expect(await desk.diskSnapshots()).toEqual([])
    expect((await desk.deleteDiskSnapshot(id)).status).toBe(404)
    await desk.pass()
    expect(await desk.app.engine.listSnapshots('volume')).toEqual([])
  })

  it('happens by itself when its days are over; what builds upon it stays', async ({ desk }) => {
    const { engine } = desk.app
    const diskId = await desk.readyDisk()
    engine.poke({ volumeId: diskId }, 'then')
    await desk.readyDiskSnapshot(diskId, { name: 'short', retention_days: 1 })
    await desk.readyDiskSnapshot(diskId, { name: 'long', snapshot_type: 'incremental', retention_days: 9 })
    await desk.pass(day + 120_000)
    expect(await desk.namesIn('disk_snapshot')).toEqual(['long'])
    expect(await engine.listSnapshots('volume')).toHaveLength(1)
  })
})
