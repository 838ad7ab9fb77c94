/** What somebody who asks for very much takes from others: nothing but their own place. */

import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountExportApi, apiTokenApi, diskApi, queueTexts, templateApi, uploadApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, it } from '../desk.test-kit.ts'

const many = (count: number) => Array.from({ length: count }, (_, i) => i)

/** From now on each look at an image waits for the gate; each list of templates has some. */
function holdLooks({ app: { engine } }: Desk) {
  const gate = Promise.withResolvers<void>()
  const seen = { running: 0, most: 0 }
  const look = engine.lookAtImage
  const lookAtImage: typeof look = async (id) => {
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    await gate.promise
    seen.running -= 1
    return look(id)
  }
  Object.assign(engine, { lookAtImage })
  return { seen, open: () => gate.resolve() }
}

/** The figures of the operator. */
async function metricsOf({ app }: Desk): Promise<string> {
  const headers = { authorization: 'Bearer operator-token' }
  return (await app.app.inject({ url: '/metrics', headers })).body
}

describe('calls in flight', () => {
  it('run a few at once for each account, wait in a line of its own, and are refused beyond it; health is ahead of all', async ({
    desk,
  }) => {
    const { app, ada, params } = desk
    const bob = await app.signedIn('Bob')
    const templates = (await ada.call(templateApi.list)).body.length
    const { seen, open } = holdLooks(desk)
    const flood = many(130).map(() => ada.call(templateApi.list))
    await expect.poll(() => seen.running).toBe(6 * templates)
    expect((await bob.raw('GET', '/api/projects')).status).toBe(200)
    expect((await app.client().raw('GET', '/api/health')).status).toBe(200)
    const metrics = await metricsOf(desk)
    expect(metrics).toContain('slipway_queue_running{kind="calls"} 6')
    expect(metrics).toContain('slipway_queue_waiting{kind="calls"} 100')
    expect(metrics).toContain('slipway_queue_refused_total{kind="calls"} 24')
    open()
    const answers = await Promise.all(flood)
    expect(seen.most).toBe(6 * templates)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(106)
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toMatchObject({
        status: 429,
        body: { message: queueTexts.calls },
        headers: { 'retry-after': '2' },
      })
    expect((await ada.call(diskApi.list, { params })).status).toBe(200)
  })

  it('that waited are not made for a token that was revoked meanwhile', async ({ desk }) => {
    const { app, ada } = desk
    const body = { name: 'ci', access: 'read', project_ids: null } as const
    const { id, token } = (await ada.call(apiTokenApi.create, { body })).body
    const { open } = holdLooks(desk)
    const flood = many(6).map(() => ada.call(templateApi.list))
    await sleep(50)
    const headers = { authorization: `Bearer ${token}` }
    const late = app.app.inject({ method: 'GET', url: '/api/projects', headers })
    await sleep(1_100)
    // The calls of its owner have no place left for the revocation.
    await app.db.deleteFrom('api_token').where('id', '=', id).execute()
    open()
    expect((await late).statusCode).toBe(401)
    await Promise.all(flood)
    expect(await metricsOf(desk)).toContain('slipway_queue_running{kind="calls"} 0')
  })

  it('of somebody who has a long list let others in between its pieces', async ({ desk }) => {
    const { app, ada, params } = desk
    const bob = await app.signedIn('Bob')
    await desk.readyDisk()
    const row = await app.db.selectFrom('disk').selectAll().executeTakeFirstOrThrow()
    const rows = many(6_000).map((i) => ({
      ...row,
      id: `${row.id.slice(0, -4)}${i.toString(36).padStart(4, '0')}`,
      name: `d${i}`,
    }))
    for (let at = 0; at < rows.length; at += 500)
      await app.db
        .insertInto('disk')
        .values(rows.slice(at, at + 500))
        .execute()
    const order: string[] = []
    const floods = many(6).map(async () => {
      const { body } = await ada.call(diskApi.list, { params })
      order.push('long')
      return body.length
    })
    await sleep(1)
    const plain = bob.raw('GET', '/api/projects').then(({ status }) => {
      order.push('plain')
      return status
    })
    expect(await plain).toBe(200)
    expect(new Set(await Promise.all(floods))).toEqual(new Set([6_001]))
    expect(order[0]).toBe('plain')
  })
})

describe('exports', () => {
  it('run one at a time for each account', async ({ desk }) => {
    const { app, ada } = desk
    const bob = await app.signedIn('Bob')
    const exported = (who: typeof bob) => who.raw(accountExportApi.get.method, accountExportApi.get.path)
    const all = await Promise.all([exported(ada), exported(ada), exported(ada), exported(bob)])
    expect(all.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    expect(all[2]).toMatchObject({ body: { message: queueTexts.exports } })
    expect((await exported(ada)).status).toBe(200)
  })
})

describe('image checks', () => {
  it('of somebody whose hosts are silent leave those of others alone', async ({ desk }) => {
    const { app, ada } = desk
    const bob = await app.signedIn('Bob')
    let asked = 0
    const silent = Promise.withResolvers<void>()
    Object.assign(app.engine, {
      async checkImage(url: string) {
        if (url.includes('silent')) {
          asked += 1
          await silent.promise
        }
        return { refused: 'It is not there.' }
      },
    })
    const check = (who: typeof bob, host: string) =>
      who.call(templateApi.checkImage, { body: { image_url: `https://${host}.example.org/a.img` } })
    const slow = many(8).map(() => check(ada, 'silent'))
    await expect.poll(() => asked).toBe(3)
    expect(await check(bob, 'quick')).toMatchObject({ status: 400, body: { message: 'It is not there.' } })
    expect(asked).toBe(3)
    silent.resolve()
    const answers = (await Promise.all(slow)).map(({ status }) => status)
    expect(answers.filter((status) => status === 429).length).toBeLessThanOrEqual(2)
  })
})

describe('slow uploads', () => {
  it('of one account leave a place for others, and end with a reason', async ({ desk }) => {
    const { app, ada, params } = desk
    const bytes = Buffer.alloc(1024)
    const slow: Readable[] = []
    const answers = []
    for (const i of many(16)) {
      const { body } = await desk.createUpload({ name: `slow-${i}`, file_bytes: 1024 })
      const payload = new Readable({ read() {} })
      payload.push(bytes.subarray(0, 10))
      slow.push(payload)
      answers.push(
        app.app.inject({
          method: 'PUT',
          url: `/api/projects/${params.projectId}/uploads/${body.id}/content?offset=0`,
          payload,
          headers: { cookie: ada.cookie ?? '', 'content-type': 'application/octet-stream' },
        }),
      )
    }
    await sleep(100)
    const bob = await app.signedIn('Bob')
    const projectId = await bob.make('/api/projects', { name: 'his' })
    const his = await bob.call(uploadApi.create, {
      params: { projectId },
      body: { name: 'his', size: '1Gi', file_name: 'his.img', file_bytes: 1024 },
    })
    const url = `/api/projects/${projectId}/uploads/${his.body.id}/content?offset=0`
    const sent = await bob.raw('PUT', url, bytes, { 'content-type': 'application/octet-stream' })
    expect(sent).toMatchObject({ status: 200, body: { received_bytes: 1024 } })
    await app.clock.advance(10_000)
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 408)).toHaveLength(4)
    expect(statuses.filter((status) => status === 429)).toHaveLength(12)
    for (const one of slow) one.destroy()
  })
})
