import { type Operation, operationApi, projectApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { type Desk, deskWith } from '../desk.test-kit.ts'
import type { VolumeSpec, Work } from '../engine/engine.ts'

/** Downloads from this host never end by themselves. */
const stuck = 'https://drips.test/disk.img'

/** Makes the engine's downloads from there hang, until somebody ends them. Returns how many hang now. */
function hangDownloads({ app: { engine } }: Desk): () => number {
  let hanging = 0
  const { createVolume } = engine
  const hang = ({ signal, onProgress }: Work) =>
    new Promise<never>((_, reject) => {
      hanging++
      onProgress(0.01)
      signal.addEventListener('abort', () => {
        hanging--
        reject(new Error('ended'))
      })
    })
  engine.createVolume = (spec: VolumeSpec, work: Work) =>
    spec.source.from === 'url' && spec.source.url === stuck ? hang(work) : createVolume(spec, work)
  return () => hanging
}

const createStuck = async (desk: Desk, name = 'stuck') =>
  (await desk.createDisk({ name, source: 'HTTP', image_url: stuck })).body.id

/** So many of them at once, after a while. */
async function manyStuck(desk: Desk, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await createStuck(desk, `stuck-${i}`))
  await desk.pass()
  return ids
}

const list = async ({ ada, params }: Desk): Promise<Operation[]> =>
  (await ada.call(operationApi.list, { params })).body

const cancel = ({ ada, at }: Desk, id: string) => ada.call(operationApi.cancel, at('operationId', id))

/** Another user, with a project. */
async function another({ app }: Desk) {
  const bob = await app.signedIn('Bob')
  const { body: project } = await bob.call(projectApi.create, { body: { name: 'bobs' } })
  const url = `/api/projects/${project.id}/disks`
  return {
    create: async (body: object) =>
      ((await bob.raw('POST', url, { size: '1Gi', source: 'EMPTY', ...body })).body as { id: string }).id,
    statusOf: async (id: string) =>
      ((await bob.raw('GET', url)).body as { id: string; status: string }[]).find((one) => one.id === id)
        ?.status,
  }
}

describe('downloads that never end', () => {
  it('do not keep a blank disk, a copy or a download of another user waiting, over a restart as well', async () => {
    const desk = await deskWith()
    hangDownloads(desk)
    await manyStuck(desk, 16)
    const bob = await another(desk)
    for (const round of ['before', 'after']) {
      const blank = await bob.create({ name: `blank ${round}` })
      await desk.pass()
      expect(await bob.statusOf(blank)).toBe('available')
      const image = await bob.create({ name: 'i', source: 'HTTP', image_url: 'https://a.test/b.img' })
      const own = await desk.readyDisk({ name: `own ${round}` })
      await desk.pass()
      expect(await bob.statusOf(image)).toBe('available')
      expect(await desk.disk(own)).toMatchObject({ status: 'available' })
      const snapshotId = await desk.readyDiskSnapshot(own, { name: `of own ${round}` })
      const { body: copy } = await desk.diskFrom(snapshotId, { name: 'copy', size_gb: 1 })
      await desk.pass()
      expect(await desk.disk(copy.id)).toMatchObject({ status: 'available' })
      await desk.app.restart()
      await desk.pass()
    }
  })

  it('say what they wait for, and never more than two of an account are under way', async () => {
    const desk = await deskWith()
    const hanging = hangDownloads(desk)
    const ids = await manyStuck(desk, 5)
    expect(hanging()).toBe(2)
    expect(await list(desk)).toMatchObject([
      ...[0, 1].map((i) => ({
        id: ids[i],
        project_id: desk.params.projectId,
        action: 'disk.create',
        object: { type: 'disk', id: ids[i], name: `stuck-${i}` },
        state: 'running',
        position: null,
        message: null,
        progress: 0.01,
        started_at: expect.any(String),
        can_cancel: true,
      })),
      ...[1, 2, 3].map((position) => ({
        state: 'waiting',
        position,
        message: 'Waiting for 2 other downloads of this account.',
        progress: null,
        started_at: null,
        can_cancel: true,
      })),
    ])
    expect(await desk.disk(ids[3] ?? '')).toMatchObject({
      status: 'creating',
      status_message: 'Waiting for 2 other downloads of this account.',
    })
  })

  it('go with their project, and leave nothing', async () => {
    const desk = await deskWith()
    const hanging = hangDownloads(desk)
    await manyStuck(desk, 4)
    const url = `/api/projects/${desk.params.projectId}?for_good=true`
    expect((await desk.ada.raw('DELETE', url)).status).toBe(204)
    await desk.pass(60_000)
    expect(hanging()).toBe(0)
    expect(await desk.namesIn('disk')).toEqual([])
  })

  it('end when the server closes, without anything failed, and are begun again', async () => {
    const desk = await deskWith()
    const hanging = hangDownloads(desk)
    const diskId = await createStuck(desk)
    await desk.pass()
    await desk.app.restart()
    expect(await desk.disk(diskId)).toMatchObject({ status: 'creating', status_message: null })
    await desk.pass()
    expect(hanging()).toBe(1)
  })
})

describe('cancelling', () => {
  it('a creation makes the disk failed at once, ends the download, makes room, and the disk can be deleted', async () => {
    const desk = await deskWith()
    const hanging = hangDownloads(desk)
    const ids = await manyStuck(desk, 3)
    const [running = '', , waiting = ''] = ids
    for (const id of [waiting, running]) {
      expect((await cancel(desk, id)).status).toBe(204)
      expect(await desk.disk(id)).toMatchObject({
        status: 'failed',
        status_message: 'Creation was cancelled.',
        progress: null,
      })
      expect((await cancel(desk, id)).status).toBe(404)
    }
    await desk.pass()
    expect(hanging()).toBe(1)
    expect((await list(desk)).map(({ id }) => id)).toEqual([ids[1]])
    for (const id of [running, waiting]) expect((await desk.deleteDisk(id)).status).toBe(204)
    await desk.pass()
    expect(await desk.namesIn('disk')).toEqual(['stuck-1'])
  })

  it('holds over a restart that comes before anything was removed', async () => {
    const desk = await deskWith()
    const hanging = hangDownloads(desk)
    const diskId = await createStuck(desk)
    await desk.pass()
    await cancel(desk, diskId)
    await desk.app.restart()
    await desk.pass()
    expect(hanging()).toBe(0)
    expect(await desk.disk(diskId)).toMatchObject({ status: 'failed' })
  })

  it('a disk that is complete by then leaves nothing of it on the host', async () => {
    const desk = await deskWith()
    const { engine } = desk.app
    const diskId = await createStuck(desk, 'late')
    const { createVolume } = engine
    // It does not notice that somebody wants it to end.
    engine.createVolume = (spec, { onProgress }) =>
      createVolume(spec, { onProgress, signal: new AbortController().signal })
    await desk.pass(300)
    await cancel(desk, diskId)
    await desk.pass()
    expect(await desk.disk(diskId)).toMatchObject({ status: 'failed' })
    expect(await engine.listVolumes()).toEqual([])
  })

  it('snapshots, which become failed while what they are of is unharmed', async () => {
    const desk = await deskWith()
    const diskId = await desk.readyDisk()
    const vmId = await desk.runningVm()
    const { body: ofVm } = await desk.snapshotVm(vmId)
    const { body: ofDisk } = await desk.snapshotDisk(diskId)
    await desk.pass(300)
    expect((await list(desk)).map(({ action, state }) => `${action} ${state}`)).toEqual([
      'vmSnapshot.create running',
      'diskSnapshot.create waiting',
    ])
    for (const { id } of [ofVm, ofDisk]) expect((await cancel(desk, id)).status).toBe(204)
    await desk.pass()
    const failed = { status: 'failed', status_message: 'Creation was cancelled.', progress: null }
    expect(await desk.vmSnapshot(ofVm.id)).toMatchObject(failed)
    expect(await desk.diskSnapshot(ofDisk.id)).toMatchObject(failed)
    expect(await desk.app.engine.listSnapshots('machine')).toEqual([])
    expect((await desk.vm(vmId)).status).toBe('running')
    expect((await desk.disk(diskId))?.status).toBe('available')
    expect((await desk.deleteVmSnapshot(ofVm.id)).status).toBe(204)
    expect((await desk.deleteDiskSnapshot(ofDisk.id)).status).toBe(204)
  })

  it('409 for a merge: a deletion is not taken back', async () => {
    const desk = await deskWith(withoutBin)
    const diskId = await desk.readyDisk()
    const first = await desk.readyDiskSnapshot(diskId, { name: 'a' })
    await desk.readyDiskSnapshot(diskId, { name: 'b', snapshot_type: 'incremental' })
    await desk.deleteDiskSnapshot(first)
    await desk.pass(300)
    expect(await list(desk)).toMatchObject([{ action: 'diskSnapshot.delete', can_cancel: false }])
    expect(await cancel(desk, first)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('cannot be cancelled') },
    })
    await desk.pass()
    expect(await desk.namesIn('disk_snapshot')).toEqual(['b'])
  })

  it('and seeing the operations of everybody is for operators', async () => {
    const desk = await deskWith({ admins: ['person-1@slipway.test'] })
    hangDownloads(desk)
    const bob = await another(desk)
    const id = await bob.create({ name: 'stuck', source: 'HTTP', image_url: stuck })
    await desk.pass()
    expect(await list(desk)).toEqual([])
    const { body } = await desk.ada.call(operationApi.listAll)
    expect(body.map((operation) => operation.id)).toEqual([id])
    const params = { operationId: id }
    expect((await desk.ada.call(operationApi.cancelAny, { params })).status).toBe(204)
    expect(await bob.statusOf(id)).toBe('failed')
  })

  it('403 for whoever is no operator', async () => {
    const { ada } = await deskWith()
    expect((await ada.call(operationApi.listAll)).status).toBe(403)
  })
})

describe('what a job made', () => {
  it('is not lost when it cannot be stored at first', async () => {
    const desk = await deskWith()
    const { db } = desk.app
    const diskId = await desk.readyDisk({ name: 'source' })
    const { body: disk } = await desk.createDisk({ source: 'HTTP', image_url: 'https://a.test/b.img' })
    const { body: snapshot } = await desk.snapshotDisk(diskId)
    await desk.pass(500)
    const allowDisk = await refuse(db, 'update', 'disk')
    const allowSnapshot = await refuse(db, 'update', 'disk_snapshot')
    await desk.pass(10_000)
    expect((await desk.disk(disk.id))?.status).toBe('creating')
    expect((await desk.diskSnapshot(snapshot.id))?.status).toBe('creating')
    await allowDisk()
    await allowSnapshot()
    await desk.pass(120_000)
    expect(await desk.disk(disk.id)).toMatchObject({ status: 'available', status_message: null })
    expect(await desk.diskSnapshot(snapshot.id)).toMatchObject({ status: 'ready', status_message: null })
  })

  it('tells the console when it begins, gets on and ends', async () => {
    const desk = await deskWith()
    const told: Partial<Operation & { deleted: true }>[] = []
    desk.app.subscribe(desk.params.projectId, (event, data) => {
      if (event === 'operation') told.push(data as Operation)
    })
    const { body: disk } = await desk.createDisk({ source: 'HTTP', image_url: 'https://a.test/b.img' })
    await desk.pass()
    expect(told[0]).toMatchObject({ id: disk.id, state: 'running', can_cancel: true })
    expect(told.at(-2)?.progress).toBeGreaterThan(0.5)
    expect(told.at(-1)).toEqual({ id: disk.id, project_id: desk.params.projectId, deleted: true })
  })
})
