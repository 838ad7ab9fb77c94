import { diskApi, diskTexts } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const pathOf = (desk: Desk, id: string, what = 'disks') =>
  `/api/projects/${desk.params.projectId}/${what}/${id}/file`

const read = (
  desk: Desk,
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
) => desk.app.app.inject({ method, url, headers: { cookie: desk.ada.cookie ?? '', ...headers } })

describe('downloading a disk', () => {
  it('200 is a qcow2 file by the name of the disk, and the log says who asked for it', async ({ desk }) => {
    const id = await desk.readyDisk({ name: 'Fotos "2026" 商' })
    const answer = await read(desk, pathOf(desk, id))
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="Fotos _2026_ _.qcow2"; filename*=UTF-8''Fotos%20_2026_%20%E5%95%86.qcow2`,
    })
    expect(answer.rawPayload.subarray(0, 4).toString('latin1')).toBe('QFI\xfb')
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
    expect((await desk.told(id)).join()).toContain('Download of disk')
  })

  it('206 is the part that is asked for, as long as the file is the same; 416 where there is none', async ({
    desk,
  }) => {
    const url = pathOf(desk, await desk.readyDisk())
    const whole = await read(desk, url)
    const etag = String(whole.headers.etag)
    const part = await read(desk, url, { range: 'bytes=2-5', 'if-range': etag })
    expect(part.statusCode).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 2-5/${whole.rawPayload.length}`)
    expect(part.rawPayload).toEqual(whole.rawPayload.subarray(2, 6))
    expect((await read(desk, url, { range: 'bytes=2-5', 'if-range': '"another"' })).statusCode).toBe(200)
    expect((await read(desk, url, { range: `bytes=${whole.rawPayload.length}-` })).statusCode).toBe(416)
    const head = await read(desk, url, {}, 'HEAD')
    expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0])
  })

  it('the log says who reads it whatever part the client claims to ask for, once for all parts of a transfer', async ({
    desk,
  }) => {
    for (const range of ['items=0-', 'x', 'bytes=00-', 'bytes=1-']) {
      const id = await desk.readyDisk({ name: `by ${range.replace(/\W/g, '-')}` })
      for (let part = 0; part < 2; part++) await read(desk, pathOf(desk, id), { range })
      const downloads = (await desk.told(id)).filter((one) => one.includes('Download of disk'))
      expect([range, downloads.length]).toEqual([range, 1])
    }
  })

  it('409 for one that a VM has, with the way out; its snapshot can be downloaded', async ({ desk }) => {
    const { diskId } = await desk.vmWithDisk()
    const params = { ...desk.params, diskId }
    expect(await desk.ada.call(diskApi.download, { params })).toMatchObject(
      refusal(409, diskTexts.downloadAttached),
    )
    const snapshot = await desk.readyDiskSnapshot(diskId, { name: 'now' })
    const answer = await read(desk, pathOf(desk, snapshot, 'disksnapshots'))
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-disposition']).toContain('now.qcow2')
  })

  it('422 where the engine gives no files', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, diskFiles: clusterLimits.diskFiles } })
    const params = { ...desk.params, diskId: await desk.readyDisk() }
    expect(await desk.ada.call(diskApi.download, { params })).toMatchObject(
      refusal(422, clusterLimits.diskFiles),
    )
  })

  it('429 for more than a few at once, until one of them ends', async ({ desk }) => {
    const url = pathOf(desk, await desk.readyDisk())
    const open = desk.app.engine.openDiskFile
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    let opened = 0
    desk.app.engine.openDiskFile = async (...args) => {
      opened += 1
      await held
      return open(...args)
    }
    const three = [1, 2, 3].map(() => read(desk, url))
    await expect.poll(() => opened).toBe(3)
    // One more waits for a moment, and another one does not.
    const more = [1, 2].map(async () => (await read(desk, url)).statusCode)
    expect(await Promise.race(more)).toBe(429)
    await desk.pass(5_000)
    expect(await Promise.all(more)).toEqual([429, 429])
    expect(opened).toBe(3)
    go()
    for (const answer of await Promise.all(three)) expect(answer.statusCode).toBe(200)
    await expect.poll(async () => (await read(desk, url)).statusCode).toBe(200)
  })
})
