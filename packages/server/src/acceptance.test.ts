/** Promises of the catalogue that hold for several features alike. */

import { gunzipSync } from 'node:zlib'
import { diskApi, hostApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { deskWith } from './desk.test-kit.ts'

describe('the wire', () => {
  it('404 for a pool or set that there is not, in words that say which', async () => {
    const { ada, params } = await deskWith()
    // API-026, H-29
    expect(await ada.call(vmPoolApi.get, { params: { ...params, poolId: 'none' } })).toMatchObject({
      status: 404,
      body: { message: 'VM Pool not found' },
    })
    // API-031, H-34
    expect(await ada.call(vmSetApi.get, { params: { ...params, setId: 'none' } })).toMatchObject({
      status: 404,
      body: { message: 'VM Set not found' },
    })
  })

  it('200 detaches a disk with neither a body nor a content type', async () => {
    const desk = await deskWith()
    const diskId = await desk.readyDisk()
    await desk.runningVm('engine', { disks: [{ disk_id: diskId }] })
    const url = diskApi.detach.path.replace(':projectId', desk.params.projectId).replace(':diskId', diskId)
    const answer = desk.ada.raw('POST', url)
    // The guest is given its time to let go.
    await desk.pass()
    const { status, body } = await answer
    // API-038, H-42
    expect({ status, body }).toMatchObject({ status: 200, body: { id: diskId, status: 'available' } })
  })

  it('200 says that the server is well, to anybody', async () => {
    const { app } = await deskWith()
    const { status, body } = await app.client().call(hostApi.health, {})
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } })
  })

  it('200 describes the API to anybody, packed for those who take that', async () => {
    const { app } = await deskWith()
    const { path } = hostApi.openApi
    const { status, body, headers } = await app.client().raw('GET', path)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { openapi: '3.1.1', info: { title: 'Slipway' } },
    })
    expect(headers['content-type']).toContain('application/json')
    const packed = await app.app.inject({ url: path, headers: { 'accept-encoding': 'br, gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(body)
  })
})
