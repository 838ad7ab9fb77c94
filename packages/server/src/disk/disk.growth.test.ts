import { tooSmall } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const gib = 1024 ** 3

const sizeIn = async (desk: Desk, id: string) => desk.app.engine.inspectVolume(id)
const whole = (gi: number) => ({ state: 'whole', sizeBytes: gi * gib })

describe('changing a disk', () => {
  it('200 changes its name and description at once, and nothing else', async ({ desk }) => {
    const id = await desk.readyDisk({ size: '2Gi' })
    const answer = await desk.changeDisk(id, { name: ' ledger ', description: ' of sales ' })
    const changed = { name: 'ledger', description: 'of sales', size: '2Gi', next_size_gb: null }
    expect(answer).toMatchObject({ status: 200, body: changed })
    expect((await desk.changeDisk(id, { description: '' })).body).toMatchObject({
      name: 'ledger',
      description: '',
    })
    expect(await desk.disk(id)).toMatchObject({ ...changed, description: '', status: 'available' })
  })

  it('200 stores a larger size, which the disk of a running VM gets while that runs on', async ({ desk }) => {
    const id = await desk.readyDisk({ size: '2Gi' })
    const vmId = await desk.runningVm('web', { disks: [{ disk_id: id }] })
    desk.app.engine.poke({ volumeId: id }, 'kept')
    const answer = await desk.changeDisk(id, { size: '5' })
    expect(answer).toMatchObject({ status: 200, body: { size: '2Gi', size_gb: 2, next_size_gb: 5 } })
    await desk.pass()
    expect(await desk.disk(id)).toMatchObject({ status: 'attached', size: '5Gi', next_size_gb: null })
    expect(await sizeIn(desk, id)).toEqual(whole(5))
    expect(desk.app.engine.peek({ volumeId: id })).toBe('kept')
    expect(await desk.vm(vmId)).toMatchObject({ status: 'running', disks: [{ size: '5Gi' }] })
    expect((await desk.told(id)).slice(0, 2)).toEqual([
      'Disk data has a size of 5Gi',
      'Enlarge disk data to 5Gi requested',
    ])
  })

  it('the size is there after a server that was killed before it stored it', async ({ desk }) => {
    const id = await desk.readyDisk({ size: '2Gi' })
    await desk.app.engine.growVolume(id, null, 4 * gib)
    await desk.done(desk.changeDisk(id, { size: '4Gi' }))
    expect(await desk.disk(id)).toMatchObject({ size: '4Gi', next_size_gb: null })
  })

  it('the size is stored that the disk got although its user took the wish back meanwhile', async ({
    desk,
  }) => {
    const id = await desk.readyDisk({ size: '2Gi' })
    const { engine } = desk.app
    const { growVolume } = engine
    const gate = Promise.withResolvers<void>()
    engine.growVolume = async (...args) => {
      await gate.promise
      return growVolume(...args)
    }
    await desk.done(desk.changeDisk(id, { size: '4Gi' }))
    expect(await desk.changeDisk(id, { size: '2Gi' })).toMatchObject({ status: 200 })
    gate.resolve()
    await desk.pass()
    expect(await desk.disk(id)).toMatchObject({ size: '4Gi', next_size_gb: null })
  })

  it('400 for a smaller size names the field and the least one, and changes nothing', async ({ desk }) => {
    const id = await desk.readyDisk({ size: '3Gi' })
    const message = tooSmall('3Gi')
    expect(await desk.changeDisk(id, { size: '2Gi', name: 'x' })).toMatchObject(refusal(400, message, 'size'))
    for (const body of [{}, { size: '' }, { size: 'big' }, { name: '' }, { size: '999999Ti' }])
      expect(await desk.changeDisk(id, body)).toMatchObject({ status: 400 })
    expect(await desk.disk(id)).toMatchObject({ name: 'data', size: '3Gi', next_size_gb: null })
  })

  it('404 in the bin', async ({ desk }) => {
    const id = await desk.readyDisk()
    await desk.deleteDisk(id)
    expect((await desk.changeDisk(id, { name: 'x' })).status).toBe(404)
  })

  it('409 while it is being created, and while its VM is suspended', async ({ desk }) => {
    const { body: coming } = await desk.createDisk({ source: 'HTTP', image_url: 'https://a.test/b.img' })
    expect(await desk.changeDisk(coming.id, { size: '20Gi' })).toMatchObject({ status: 409 })
    const { vmId, diskId: id } = await desk.vmWithDisk()
    await desk.done(desk.act('suspend', vmId))
    expect(await desk.changeDisk(id, { size: '2Gi' })).toMatchObject(
      refusal(409, 'VM must be running or stopped'),
    )
    expect(await desk.disk(id)).toMatchObject({ size: '1Gi', next_size_gb: null })
  })

  it('a size that cannot be had keeps its reason, and the size that the disk has takes it back', async ({
    desk,
  }) => {
    const id = await desk.readyDisk({ size: '1Gi' })
    desk.app.engine.hide(id, true)
    await desk.done(desk.changeDisk(id, { size: '2Gi' }))
    expect(await desk.disk(id)).toMatchObject({
      next_size_gb: 2,
      status_message: expect.stringMatching(/cannot be read/),
    })
    expect(await desk.changeDisk(id, { size: '1Gi' })).toMatchObject({ body: { next_size_gb: null } })
    desk.app.engine.hide(id, false)
    await desk.pass()
    expect(await sizeIn(desk, id)).toEqual(whole(1))
  })

  it('one that its host has no room for keeps its size, and the log says why', async ({ desk }) => {
    const { diskId: id } = await desk.vmWithDisk('fault-no-copies')
    await desk.done(desk.changeDisk(id, { size: '2Gi' }))
    expect(await desk.disk(id)).toMatchObject({ size: '1Gi', next_size_gb: null, status: 'attached' })
  })

  it('beyond a limit is refused and changes nothing, and what is to come is taken already', async () => {
    const desk = await deskWith({ projectQuota: { disk_bytes: 4 * gib } })
    const id = await desk.readyDisk({ size: '1Gi' })
    expect(await desk.changeDisk(id, { size: '5Gi', name: 'x' })).toMatchObject({ status: 409 })
    expect(await desk.disk(id)).toMatchObject({ name: 'data', next_size_gb: null })
    expect(await desk.changeDisk(id, { size: '3Gi' })).toMatchObject({ status: 200 })
    expect((await desk.createDisk({ size: '2Gi' })).status).toBe(409)
    expect((await desk.createDisk({ size: '1Gi' })).status).toBe(201)
  })
})

it('422 where the engine cannot says what to do instead; a name is changed all the same', async () => {
  const desk = await deskWith({ cannot: { ...noLimits, growDisks: clusterLimits.growDisks } })
  const id = await desk.readyDisk()
  expect(await desk.changeDisk(id, { size: '20Gi' })).toMatchObject(refusal(422, clusterLimits.growDisks))
  expect(await desk.changeDisk(id, { name: 'x' })).toMatchObject({ status: 200 })
})
