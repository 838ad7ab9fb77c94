import { createHash, randomBytes } from 'node:crypto'
import { readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gibibyte, uploadApi, uploadLimits, uploadTexts } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const file = randomBytes(1024)
const sha256 = createHash('sha256').update(file).digest('hex')

const at = (desk: Desk, uploadId: string) => ({ params: { ...desk.params, uploadId } })
const cancel = (desk: Desk, id: string) => desk.ada.call(uploadApi.cancel, at(desk, id))
const get = async (desk: Desk, id: string) => (await desk.ada.call(uploadApi.get, at(desk, id))).body
const kept = (desk: Desk) => readdir(join(desk.app.dataDir, 'uploads')).catch(() => [])

/** Lets a disk come to its end: files are read in real time. */
async function settled(desk: Desk, id: string) {
  await expect
    .poll(async () => {
      await desk.pass()
      return (await desk.disk(id))?.status
    })
    .not.toBe('creating')
  // What is left to do after that.
  await desk.pass()
  return desk.disk(id)
}

async function created(desk: Desk, more: object = {}): Promise<string> {
  const { status, body } = await desk.createUpload(more)
  expect(status).toBe(201)
  return body.id
}

describe('creating an upload', () => {
  it('201 has what is known of the file, and its disk is being created', async ({ desk }) => {
    const asked = {
      file_mark: 'abc',
      file_modified_at: '2026-01-01T00:00:00.000Z',
      sha256: sha256.toUpperCase(),
    }
    const { status, body } = await desk.createUpload(asked)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'data',
      state: 'receiving',
      file_name: 'data.img',
      file_bytes: 1024,
      received_bytes: 0,
      ...asked,
      sha256,
    })
    expect(await desk.disk(body.id)).toMatchObject({
      status: 'creating',
      source: 'upload',
      status_message: uploadTexts.receiving,
      progress: 0,
    })
    expect((await desk.ada.call(uploadApi.list, { params: desk.params })).body).toEqual([body])
    // Nothing is written before the first byte.
    expect(await kept(desk)).toEqual([])
  })

  it.for([
    [{ name: '' }, 'name', 'Please enter a disk name'],
    [{ size: 'large' }, 'size', 'Please enter a valid disk size'],
    [{ file_name: ' ' }, 'file_name', uploadTexts.fileNameMissing],
    [{ file_bytes: 0 }, 'file_bytes', uploadTexts.fileEmpty],
    [{ sha256: 'abc' }, 'sha256', uploadTexts.checksumInvalid],
    [
      { file_bytes: 101 * 1024 ** 3 },
      'file_bytes',
      'The file is larger than the limit of 100 GB. Choose a smaller file.',
    ],
  ] as const)(
    '400 for %o names the field, and nothing is stored',
    async ([body, field, message], { desk }) => {
      expect(await desk.createUpload(body)).toMatchObject(refusal(400, message, field))
      expect(await desk.disks()).toEqual([])
    },
  )

  it('409 where the quota or the number of uploads does not allow it', async () => {
    const desk = await deskWith({ projectQuota: { disk_bytes: 50 * 1024 ** 3 } })
    expect(await desk.createUpload({ size: '60Gi' })).toMatchObject({ status: 409 })
    for (let i = 0; i < uploadLimits.perProject; i++) await created(desk, { name: `d${i}` })
    expect(await desk.createUpload({})).toMatchObject(refusal(409, uploadTexts.tooMany))
  })

  it('409 where the quota has no room for the file that is staged, however small its disk is, also for two at once', async () => {
    const desk = await deskWith({
      projectQuota: { disk_bytes: 10 * gibibyte },
      accountQuota: { disk_bytes: 8 * gibibyte },
    })
    const file = { size: '1Gi', file_bytes: 6 * gibibyte }
    const answers = await Promise.all(
      ['a', 'b'].map((name) => desk.createUpload({ ...file, name, file_name: `${name}.img` })),
    )
    const refused = (reason: RegExp) => refusal(409, expect.stringMatching(reason), 'file_bytes')
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(
      refused(/^This project uses 6 GB of its 10 GB of disk space/),
    )
    const [upload] = await desk.disks()
    await cancel(desk, upload?.id ?? '')
    // What the account has left is asked as well.
    expect(await desk.createUpload({ ...file, file_bytes: 9 * gibibyte })).toMatchObject(
      refused(/^The account that owns this project/),
    )
  })

  it('409 where the host has no room for the file and the disk', async () => {
    const desk = await deskWith({ maxImageGb: 2 ** 30 })
    const answer = await desk.createUpload({ file_bytes: 2 ** 50 })
    expect(answer).toMatchObject({ status: 409 })
    expect(JSON.stringify(answer.body)).toMatch(/are needed, and .* are free/)
    expect(await desk.disks()).toEqual([])
  })

  it('422 where the engine takes no files', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, diskFiles: clusterLimits.diskFiles } })
    expect(await desk.createUpload({})).toEqual(
      expect.objectContaining(refusal(422, clusterLimits.diskFiles)),
    )
  })
})

describe('sending pieces', () => {
  it('200 for each says how far it is; the last one makes the disk, and nothing else is left', async ({
    desk,
  }) => {
    const id = await created(desk, { sha256 })
    expect(await desk.sendPiece(id, 0, file.subarray(0, 600))).toMatchObject({
      status: 200,
      body: { received_bytes: 600, state: 'receiving' },
    })
    expect(await desk.disk(id)).toMatchObject({ progress: 600 / 1024 })
    expect(await kept(desk)).toEqual([id])
    expect(await desk.sendPiece(id, 600, file.subarray(600))).toMatchObject({
      status: 200,
      body: { received_bytes: 1024, state: 'checking' },
    })
    expect(await settled(desk, id)).toMatchObject({
      status: 'available',
      image_sha256: sha256,
      progress: null,
    })
    expect(await get(desk, id)).toMatchObject({ state: 'completed' })
    await expect.poll(() => kept(desk)).toEqual([])
    expect((await desk.ada.call(uploadApi.list, { params: desk.params })).body).toEqual([])
    expect(await desk.sendPiece(id, 1024, file)).toMatchObject(refusal(409, uploadTexts.over))
  })

  it('takes a piece again that it has, and says where it continues for every other', async ({ desk }) => {
    const id = await created(desk)
    await desk.sendPiece(id, 0, file.subarray(0, 600))
    expect(await desk.sendPiece(id, 0, file.subarray(0, 600))).toMatchObject({
      status: 200,
      body: { received_bytes: 600 },
    })
    for (const offset of [1, 599, 601, 5000])
      expect(await desk.sendPiece(id, offset, file.subarray(0, 600))).toMatchObject({
        status: 409,
        body: { code: 'upload_offset', message: 'This upload continues at byte 600.' },
      })
  })

  it('400, 413 and 415 for pieces that are empty, too large, of another type, or go beyond the end', async ({
    desk,
  }) => {
    const id = await created(desk)
    const large = await created(desk, { file_bytes: 2 * uploadLimits.pieceBytes })
    const refused = [
      [await desk.sendPiece(id, 0, Buffer.alloc(0)), 400, uploadTexts.pieceEmpty],
      [await desk.sendPiece(id, 0, Buffer.alloc(1025)), 400, uploadTexts.pastTheEnd],
      [
        await desk.sendPiece(large, 0, Buffer.alloc(uploadLimits.pieceBytes + 1)),
        413,
        uploadTexts.pieceTooLarge,
      ],
      [
        await desk.sendPiece(id, 0, Buffer.from('{}'), { 'content-type': 'application/json' }),
        415,
        uploadTexts.pieceType,
      ],
    ] as const
    for (const [answer, status, message] of refused)
      expect(answer).toMatchObject({ status, body: { message } })
    expect(await desk.sendPiece(id, -1, file)).toMatchObject({ status: 400 })
    expect(await get(desk, id)).toMatchObject({ received_bytes: 0 })
  })

  it('one window at a time: the other is told so, and takes over from one that has gone silent', async ({
    desk,
  }) => {
    const id = await created(desk)
    const silent = new Readable({ read() {} })
    silent.push(file.subarray(0, 10))
    const url = `/api/projects/${desk.params.projectId}/uploads/${id}/content?offset=0`
    const first = desk.app.app.inject({
      method: 'PUT',
      url,
      payload: silent,
      headers: { cookie: desk.ada.cookie ?? '', 'content-type': 'application/octet-stream' },
    })
    first.catch(() => {})
    await expect
      .poll(async () => (await kept(desk)).length, { message: 'the first piece is under way' })
      .toBe(1)
    expect(await desk.sendPiece(id, 0, file)).toMatchObject({
      status: 409,
      body: { code: 'upload_busy', message: uploadTexts.busy },
    })
    // Whoever has no part in the project finds out nothing, and gets in nobody's way.
    const bob = await desk.app.signedIn('Bob')
    const { id: his } = (await bob.raw('POST', '/api/projects', { name: 'his' })).body as { id: string }
    const foreign = () =>
      bob.raw('PUT', `/api/projects/${his}/uploads/${id}/content?offset=0`, file, {
        'content-type': 'application/octet-stream',
      })
    expect(await foreign()).toMatchObject({ status: 404 })
    await desk.pass(6_000)
    expect(await foreign()).toMatchObject({ status: 404 })
    expect(await desk.sendPiece(id, 0, file)).toMatchObject({ status: 200, body: { received_bytes: 1024 } })
    silent.destroy()
  })

  it('two of the same at once never store it twice', async ({ desk }) => {
    const id = await created(desk)
    const answers = await Promise.all([desk.sendPiece(id, 0, file), desk.sendPiece(id, 0, file)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await settled(desk, id)).toMatchObject({ status: 'available', image_sha256: sha256 })
  })
})

describe('what becomes of an upload', () => {
  it('a file of another checksum fails the disk, with both checksums, and is removed', async ({ desk }) => {
    const wanted = 'ab'.repeat(32)
    const id = await created(desk, { sha256: wanted })
    await desk.sendPiece(id, 0, file)
    expect(await settled(desk, id)).toMatchObject({
      status: 'failed',
      status_message: `The file's SHA-256 is ${sha256}, not ${wanted} as given.`,
    })
    expect(await get(desk, id)).toMatchObject({ state: 'failed' })
    await expect.poll(() => kept(desk)).toEqual([])
  })

  it('an image that builds upon another file is refused', async ({ desk }) => {
    const hostile = Buffer.alloc(1024)
    hostile.write('QFI\xfb', 0, 'latin1')
    hostile.writeUInt32BE(3, 4)
    hostile.writeBigUInt64BE(512n, 8)
    const id = await created(desk)
    await desk.sendPiece(id, 0, hostile)
    expect(await settled(desk, id)).toMatchObject({ status: 'failed', status_message: /backing file/ })
  })

  it('goes on after a restart of the server where it was', async ({ desk }) => {
    const id = await created(desk)
    await desk.sendPiece(id, 0, file.subarray(0, 600))
    await desk.app.restart()
    expect(await get(desk, id)).toMatchObject({ received_bytes: 600, state: 'receiving' })
    await desk.sendPiece(id, 600, file.subarray(600))
    expect(await settled(desk, id)).toMatchObject({ status: 'available', image_sha256: sha256 })
  })

  it('what a killed server had written beyond the last answer is written over; what it lost is asked for again', async ({
    desk,
  }) => {
    const id = await created(desk)
    await desk.sendPiece(id, 0, file.subarray(0, 600))
    const path = join(desk.app.dataDir, 'uploads', id)
    await writeFile(path, Buffer.concat([file.subarray(0, 600), Buffer.alloc(300, 7)]))
    expect(await desk.sendPiece(id, 600, file.subarray(600, 700))).toMatchObject({ status: 200 })
    await truncate(path, 100)
    expect(await desk.sendPiece(id, 700, file.subarray(700))).toMatchObject({
      status: 409,
      body: { code: 'upload_offset', message: uploadTexts.gone },
    })
    expect(await get(desk, id)).toMatchObject({ received_bytes: 0 })
    await desk.sendPiece(id, 0, file)
    expect(await settled(desk, id)).toMatchObject({ image_sha256: sha256 })
  })

  it('cancelled: 204, and neither disk nor file is left; again 404', async ({ desk }) => {
    const id = await created(desk)
    await desk.sendPiece(id, 0, file.subarray(0, 600))
    expect(await cancel(desk, id)).toMatchObject({ status: 204 })
    expect(await desk.disks()).toEqual([])
    await desk.pass()
    await expect.poll(() => kept(desk)).toEqual([])
    expect(await cancel(desk, id)).toMatchObject(refusal(404, uploadTexts.notFound))
    const done = await created(desk)
    await desk.sendPiece(done, 0, file)
    await settled(desk, done)
    expect(await cancel(desk, done)).toMatchObject(refusal(409, uploadTexts.over))
  })

  it('hours without a byte end it, and it says so', async () => {
    const desk = await deskWith({ uploadHours: 2 })
    const id = await created(desk)
    await desk.pass(1.5 * 3_600_000)
    await desk.sendPiece(id, 0, file.subarray(0, 600))
    await desk.pass(1.5 * 3_600_000)
    expect(await desk.disk(id)).toMatchObject({ status: 'creating' })
    await desk.pass(3_600_000)
    expect(await desk.disk(id)).toMatchObject({
      status: 'failed',
      status_message: 'The upload was removed because no data arrived for 2 hours.',
    })
    await expect.poll(() => kept(desk)).toEqual([])
  })

  it('a deleted project leaves no file, and a file of nobody is swept', async () => {
    const desk = await deskWith(withoutBin)
    const id = await created(desk)
    await desk.sendPiece(id, 0, file.subarray(0, 600))
    await writeFile(join(desk.app.dataDir, 'uploads', 'stray'), 'x')
    await desk.app.restart()
    await expect.poll(() => kept(desk)).toEqual([id])
    expect(await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}`)).toMatchObject({
      status: 204,
    })
    await expect
      .poll(async () => {
        await desk.pass()
        return kept(desk)
      })
      .toEqual([])
  })
})
