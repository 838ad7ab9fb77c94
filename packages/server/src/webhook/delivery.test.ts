/** What reaches a receiver on loopback, and what becomes of what does not. */
import {
  diskApi,
  type Webhook,
  type WebhookDelivery,
  WebhookMessage,
  type WebhookWithSecret,
  webhookApi,
  webhookKept,
  webhookPatienceDays,
  webhookTexts,
} from '@slipway/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { record } from '../activity/record.ts'
import { type Desk, openDesk } from '../desk.test-kit.ts'
import { isoTime } from '../lib/clock.ts'
import { idFloor } from '../lib/id.ts'
import { pausesMs } from '../lib/retry-pauses.ts'
import { scrape } from '../metrics/scrape.test-kit.ts'
import { deleteOldDeliveries } from '../webhook-delivery/webhook-delivery.writes.ts'
import { isSigned, startReceiver } from './receiver.test-kit.ts'
import { tryLimitMs } from './webhook.post.ts'

// Ids never go back: files before this one may have made some that no clock here comes to.
vi.hoisted(() => vi.resetModules())

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

let receiver: Awaited<ReturnType<typeof startReceiver>>
let desk: Desk
let ada: Pick<Desk['ada'], 'call' | 'raw'>

beforeEach(async () => {
  receiver = await startReceiver()
  desk = await openDesk({ privateWebhooks: ['127.0.0.1'] })
  ada = desk.ada
})
afterEach(async () => {
  await receiver.close()
  await desk.close()
})

const hook = async (more: object = {}): Promise<WebhookWithSecret> =>
  (await ada.call(webhookApi.create, { params: desk.params, body: { url: receiver.url, ...more } })).body

const at = ({ id }: { id: string }) => ({ params: { ...desk.params, webhookId: id } })
const read = async (webhook: { id: string }): Promise<Webhook> =>
  (await ada.call(webhookApi.get, at(webhook))).body
const sent = async (webhook: { id: string }, query = ''): Promise<WebhookDelivery[]> => {
  const url = `/api/projects/${desk.params.projectId}/webhooks/${webhook.id}/deliveries${query}`
  return ((await ada.raw('GET', url)).body as { deliveries: WebhookDelivery[] }).deliveries
}
const again = (webhook: { id: string }, delivery?: WebhookDelivery) =>
  ada.call(webhookApi.retry, { params: { ...at(webhook).params, deliveryId: delivery?.id ?? '' } })
const states = async (webhook: { id: string }) => (await sent(webhook)).map(({ state }) => state)

/** Lets all be sent that is due within some time. Sessions end meanwhile. */
async function pass(ms = 6_000): Promise<void> {
  await desk.pass(ms)
  await desk.app.idle()
  if (ms < hourMs) return
  const { email, password } = desk.ada
  const { cookie } = await desk.app.client().raw('POST', '/api/auth/signin', { email, password })
  ada = desk.app.client(cookie)
}

/** Changes something, which leaves one entry. */
let names = 0
const act = async (by = ada): Promise<string> => {
  const body = { name: `d${++names}`, size: '1Gi', source: 'EMPTY' as const }
  return (await by.call(diskApi.create, { params: desk.params, body })).body.id
}

describe('an entry of the log', () => {
  it('is sent as JSON, signed after Standard Webhooks', async () => {
    const webhook = await hook()
    const diskId = await act()
    await pass()
    const first = receiver.received.find(({ message }) => message.type === 'disk.create')
    if (!first) throw new Error('It was not sent')
    expect(isSigned(first, webhook.secret)).toBe(true)
    expect(isSigned({ ...first, text: `${first.text} ` }, webhook.secret)).toBe(false)
    expect(isSigned({ ...first, timestamp: first.timestamp + 1 }, webhook.secret)).toBe(false)
    expect(first.timestamp * 1000).toBeLessThanOrEqual(desk.app.clock.now())
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Slipway' })
    expect(WebhookMessage.parse(first.message)).toEqual(first.message)
    expect(first.message).toMatchObject({
      type: 'disk.create',
      data: { action: 'disk.create', object: { type: 'disk', id: diskId }, actor: { name: 'Ada Lovelace' } },
      project: { id: desk.params.projectId, name: 'p' },
    })
    expect(first.message.timestamp).toBe(first.message.data.at)
    const outcome = { state: 'delivered', tries: 1, status_code: 204, failure: null, next_try_at: null }
    const delivery = { id: first.id, ...outcome, body: first.message }
    expect(await sent(webhook)).toContainEqual(expect.objectContaining(delivery))
    expect(await read(webhook)).toMatchObject({ waiting: 0, failing_since: null })
    expect((await read(webhook)).last_delivered_at).not.toBeNull()
  })

  it('is sent in the order of the log, each once', async () => {
    await hook()
    for (let i = 0; i < 5; i++) await act()
    await pass()
    const log = await desk.app.db
      .selectFrom('activity')
      .select('id')
      .where('object_type', '=', 'disk')
      .orderBy('id')
      .execute()
    const got = receiver.received.map(({ message }) => message.data.id)
    expect(got).toEqual(log.map(({ id }) => id))
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(got.length)
  })

  it('goes to those only that take it', async () => {
    const [failures, vms, disks, created] = [
      await hook({ kinds: ['failure'] }),
      await hook({ objects: ['vm', 'vm_pool'] }),
      await hook({ objects: ['disk'] }),
      await hook({ actions: ['disk.create', 'vm.create'] }),
    ]
    await act()
    await pass(30_000)
    expect(await states(failures)).toEqual([])
    expect(await states(vms)).toEqual([])
    expect((await sent(disks)).map(({ body }) => body.type)).toEqual(['disk.available', 'disk.create'])
    expect((await sent(created)).map(({ body }) => body.type)).toEqual(['disk.create'])
  })

  it('goes to nobody in another project', async () => {
    await hook()
    await ada.raw('POST', '/api/projects', { name: 'other' })
    await pass()
    expect(receiver.received).toEqual([])
  })

  it('is stored with its change or not at all, and is sent after a server was killed in between', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    await act()
    expect(receiver.received).toEqual([])
    expect(await states(webhook)).toEqual(['waiting'])
    await desk.app.restart()
    await desk.app.idle()
    await receiver.has(1)
    await pass()
    expect(receiver.types()).toEqual(['disk.create'])
  })

  it('that was sent, but whose outcome was not stored, is sent again under the same id', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    await act()
    await pass()
    await desk.app.db
      .updateTable('webhook_delivery')
      .set({ state: 'waiting', tries: 0, next_at: '2000-01-01T00:00:00.000Z' })
      .execute()
    await desk.app.restart()
    await desk.app.idle()
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    expect(receiver.received).toHaveLength(2)
    expect(await states(webhook)).toEqual(['delivered'])
  })

  it('is sent once where several servers are on one database', async () => {
    await hook()
    const beside = await desk.app.serverBeside()
    const there = beside.client(desk.ada.cookie)
    for (let i = 0; i < 5; i++) await act(i % 2 ? ada : there)
    await pass(30_000)
    expect(receiver.types().filter((type) => type === 'disk.create')).toHaveLength(5)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length)
  })

  it('is queued in one statement for many', async () => {
    for (let i = 0; i < 10; i++) await hook({ actions: ['share.expired'] })
    const entries = Array.from({ length: 1000 }, (_, i) => ({
      at: desk.app.clock.now(),
      kind: 'change' as const,
      action: 'share.expired',
      actor: null,
      subject: { type: 'share' as const, id: `${i}`, name: `${i}`, projectId: desk.params.projectId },
      message: 'm',
      reason: null,
    }))
    await desk.app.db.transaction().execute((tx) => record(tx, entries))
    const { n } = await desk.app.db
      .selectFrom('webhook_delivery')
      .select((e) => e.fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    expect(Number(n)).toBe(10_000)
    // Of the first webhook, in their order.
    const rows = await desk.app.db
      .selectFrom('webhook_delivery as d')
      .innerJoin('activity as a', 'a.id', 'd.activity_id')
      .select('a.object_id')
      .where('d.webhook_id', '=', (e) => e.selectFrom('webhook').select((f) => f.fn.min('id').as('id')))
      .orderBy('d.id')
      .execute()
    expect(rows.map(({ object_id }) => object_id)).toEqual(entries.map(({ subject }) => subject.id))
  })
})

describe('a receiver that fails', () => {
  it('is tried after growing pauses, with a new timestamp and the same id, and nothing overtakes', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    receiver.answer(503)
    await act()
    await pass(1_000)
    await act()
    for (const pause of pausesMs.slice(0, 4)) {
      const before = receiver.received.length
      await pass(Math.round(pause * 1.2) + 1_000)
      expect(receiver.received.length).toBe(before + 1)
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    const stamps = receiver.received.map(({ timestamp }) => timestamp)
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b))
    expect(new Set(stamps).size).toBe(stamps.length)
    const told = await read(webhook)
    expect(told).toMatchObject({ waiting: 2, last_failure: 'The receiver answered 503 Service Unavailable.' })
    expect(told.failing_since).not.toBeNull()
    expect(told.next_try_at).not.toBeNull()
    receiver.answer(200)
    await pass(pausesMs[4] * 1.2 + 6_000)
    expect(await states(webhook)).toEqual(['delivered', 'delivered'])
    expect(await read(webhook)).toMatchObject({ failing_since: null, last_failure: null, next_try_at: null })
  })

  it('with one message is sent the others meanwhile', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    let refused = ''
    receiver.answer(({ id }) => {
      refused = refused || id
      return id === refused ? 422 : 200
    })
    await act()
    await act()
    await pass()
    expect(await states(webhook)).toEqual(['delivered', 'waiting'])
  })

  it('is given up after about a day, which the log tells once, and goes on with the next', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    receiver.answer(422)
    await act()
    await act()
    for (const pause of [0, ...pausesMs]) await pass(Math.round(pause * 1.2) + 6_000)
    expect(receiver.received).toHaveLength(2 * (pausesMs.length + 1))
    expect(await states(webhook)).toEqual(['failed', 'failed'])
    const told = await desk.app.db
      .selectFrom('activity')
      .select(['message', 'reason'])
      .where('action', '=', 'webhook.failed')
      .execute()
    const host = new URL(receiver.url).host
    const message = `Webhook ${host} is failing, and a delivery was given up`
    expect(told).toEqual([{ message, reason: 'The receiver answered 422 Unprocessable Entity.' }])
    expect(await read(webhook)).toMatchObject({ paused: false })
  })

  it('for days is paused, says so, and tells other webhooks and not itself', async () => {
    const webhook = await hook({ description: 'chat' })
    const other = await startReceiver()
    const watching = await hook({ url: other.url, objects: ['webhook'] })
    receiver.answer(500)
    await act()
    await pass(1_000)
    // Passing the days would take longer than all else here; the plan's own test does.
    await desk.app.db
      .updateTable('webhook')
      .set({ failing_since: isoTime(desk.app.clock.now() - webhookPatienceDays * dayMs) })
      .where('id', '=', webhook.id)
      .execute()
    await pass(8_000)
    const reason = 'No delivery has succeeded for 3 days. The receiver answered 500 Internal Server Error.'
    expect(await read(webhook)).toMatchObject({ paused: true, paused_reason: reason })
    await pass()
    const { message } = other.received.at(-1) ?? {}
    expect(message).toMatchObject({
      type: 'webhook.paused',
      data: { message: 'Webhook chat was paused', reason, object: { id: webhook.id } },
    })
    expect(receiver.received.every(({ message }) => message.data.object.id !== webhook.id)).toBe(true)
    // What happens meanwhile is not kept for it; what waits is sent when somebody resumes it.
    const before = await states(webhook)
    await act()
    await pass(60_000)
    expect(await states(webhook)).toEqual(before)
    receiver.answer(204)
    await ada.call(webhookApi.update, { ...at(webhook), body: { paused: false } })
    await pass(3 * 60_000)
    expect((await states(webhook)).filter((state) => state === 'waiting')).toEqual([])
    expect(await read(webhook)).toMatchObject({ paused: false, paused_reason: null, failing_since: null })
    expect((await states(watching)).every((state) => state === 'delivered')).toBe(true)
    await other.close()
  })

  it('by never answering holds up no other, and is left after its time', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    const other = await startReceiver()
    await hook({ url: other.url, actions: ['disk.create'] })
    receiver.answer(() => () => {})
    await act()
    await desk.app.clock.advance(1_000)
    await Promise.all([other.has(1), receiver.has(1)])
    // It is tried again some seconds later.
    await desk.app.clock.advance(tryLimitMs)
    await desk.app.idle()
    expect(await sent(webhook)).toMatchObject([
      { state: 'waiting', status_code: null, failure: 'The receiver did not respond within 15 seconds.' },
    ])
    await other.close()
  })

  it('by an endless answer, a redirect or a broken connection ends the try', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    const outcomes: (string | null)[] = []
    const with_ = async (answer: Parameters<typeof receiver.answer>[0]) => {
      receiver.answer(answer)
      const { body } = await ada.call(webhookApi.test, at(webhook))
      await desk.app.idle()
      const [found] = (await sent(webhook)).filter(({ id }) => id === body.id)
      outcomes.push(found?.failure ?? found?.state ?? null)
    }
    await with_(() => (response) => {
      const more = () => response.write(Buffer.alloc(64 * 1024)) && setImmediate(more)
      response.on('drain', more).on('error', () => {})
      response.writeHead(200)
      more()
    })
    await with_(() => (response) => void response.writeHead(302, { location: receiver.url }).end())
    await with_(() => (response) => void response.destroy())
    expect(outcomes).toEqual([
      'delivered',
      'The receiver answered 302 Found. Redirects are not followed; change the URL.',
      'The connection was interrupted.',
    ])
    expect(receiver.received).toHaveLength(3)
  })
})

describe('a test', () => {
  it('202 is sent at once, also while the webhook is paused, and once', async () => {
    const webhook = await hook({ paused: true, objects: ['vm'] })
    receiver.answer(500)
    const { status, body } = await ada.call(webhookApi.test, at(webhook))
    expect(status).toBe(202)
    expect(body).toMatchObject({ state: 'waiting', tries: 0, body: { type: 'webhook.test' } })
    await desk.app.idle()
    const [first] = receiver.received
    if (!first) throw new Error('It was not sent')
    expect(isSigned(first, webhook.secret)).toBe(true)
    expect(first.message.data).toMatchObject({ actor: { name: 'Ada Lovelace' }, object: { id: webhook.id } })
    await pass(dayMs)
    expect(receiver.received).toHaveLength(1)
    expect(await sent(webhook)).toMatchObject([{ state: 'failed', status_code: 500 }])
    expect(await read(webhook)).toMatchObject({ failing_since: null, paused: true })
  })

  it('is signed with both secrets for a day after a new one', async () => {
    const webhook = await hook()
    const { body: renewed } = await ada.call(webhookApi.renewSecret, at(webhook))
    const signedBy = async () => {
      await ada.call(webhookApi.test, at(webhook))
      await desk.app.idle()
      const last = receiver.received.at(-1)
      return [webhook, renewed].map(({ secret }) => last !== undefined && isSigned(last, secret))
    }
    expect(await signedBy()).toEqual([true, true])
    await pass(25 * hourMs)
    expect(await signedBy()).toEqual([false, true])
  })

  it('fails with what to do when the secret cannot be read', async () => {
    const webhook = await hook()
    await desk.app.db.updateTable('webhook').set({ secret: 'nonsense' }).execute()
    await ada.call(webhookApi.test, at(webhook))
    await desk.app.idle()
    expect(await sent(webhook)).toMatchObject([{ state: 'failed', failure: webhookTexts.secretUnreadable }])
    expect(receiver.received).toEqual([])
  })
})

describe('a delivery', () => {
  it('202 is sent again at once, whatever came of it, under the same id', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    await act()
    await pass()
    const [delivery] = await sent(webhook)
    if (!delivery) throw new Error('There is none')
    expect(await again(webhook, delivery)).toMatchObject({ status: 202, body: { state: 'waiting' } })
    await desk.app.idle()
    expect(receiver.received.map(({ id }) => id)).toEqual([delivery.id, delivery.id])
    expect(await sent(webhook)).toMatchObject([{ state: 'delivered', tries: 2 }])
  })

  it('202 is sent before its time when it waits, and 409 when it is about to be sent', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    receiver.answer(503)
    await act()
    await pass(1_000)
    const [delivery] = await sent(webhook)
    receiver.answer(() => () => {})
    await again(webhook, delivery)
    await receiver.has(2)
    const underWay = { status: 409, body: { message: webhookTexts.underWay } }
    expect(await again(webhook, delivery)).toMatchObject(underWay)
    await desk.app.clock.advance(tryLimitMs)
    await desk.app.idle()
    expect(await sent(webhook)).toMatchObject([{ state: 'waiting', tries: 2 }])
  })

  it('is listed newest first, a page at a time, and by what came of it', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    for (let i = 0; i < 5; i++) await act()
    await pass()
    const all = await sent(webhook)
    const pages: WebhookDelivery[] = []
    for (let before = ''; ; ) {
      const url = `/api/projects/${desk.params.projectId}/webhooks/${webhook.id}/deliveries?limit=2${before}`
      const { body } = await ada.raw('GET', url)
      const page = body as { deliveries: WebhookDelivery[]; next: string | null }
      pages.push(...page.deliveries)
      if (page.next === null) break
      before = `&before=${page.next}`
    }
    expect(pages).toEqual(all)
    expect(all).toHaveLength(5)
    expect(await sent(webhook, '?state=failed')).toEqual([])
    expect(await sent(webhook, '?state=bang')).toBeUndefined()
  })

  it('is deleted after some days, whatever came of it', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    await act()
    await pass()
    // Ids begin with the time.
    const old = `${idFloor(desk.app.clock.now() - webhookKept.days * dayMs)}-7000-8000-000000000000`
    await desk.app.db.updateTable('webhook_delivery').set({ id: old }).execute()
    await act()
    await pass(2 * hourMs)
    const kept = (await sent(webhook)).map(({ id }) => id)
    expect(kept).toHaveLength(1)
    expect(kept).not.toContain(old)
  })

  it('is deleted when its webhook has too many newer ones', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    for (let i = 0; i < 5; i++) await act()
    const before = (await sent(webhook)).map(({ id }) => id)
    await deleteOldDeliveries(desk.app.db, 0, 5)
    expect((await sent(webhook)).map(({ id }) => id)).toEqual(before)
    await deleteOldDeliveries(desk.app.db, 0, 3)
    expect((await sent(webhook)).map(({ id }) => id)).toEqual(before.slice(0, 3))
  })
})

describe('a project', () => {
  it('that is frozen sends nothing, and goes on where it was when its owner stays', async () => {
    const webhook = await hook({ actions: ['disk.create'] })
    receiver.answer(503)
    await act()
    await pass(1_000)
    const { id } = (await ada.raw('GET', '/api/auth/me')).body as { id: string }
    const [requested_at, delete_at] = ['2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z']
    const leaving = { account_id: id, requested_at, delete_at }
    await desk.app.db.insertInto('account_deletion').values(leaving).execute()
    receiver.answer(204)
    await pass(dayMs)
    expect(receiver.received).toHaveLength(1)
    await desk.app.db.deleteFrom('account_deletion').execute()
    await pass(40_000)
    expect(await states(webhook)).toEqual(['delivered'])
  })

  it('that is deleted leaves no webhook and no delivery', async () => {
    await hook()
    receiver.answer(503)
    await act()
    await pass()
    expect((await ada.raw('DELETE', `/api/projects/${desk.params.projectId}?for_good=true`)).status).toBe(204)
    await pass(dayMs)
    for (const table of ['webhook', 'webhook_delivery'] as const)
      expect(await desk.app.db.selectFrom(table).selectAll().execute()).toEqual([])
  })

  it('is exported with its webhooks and without their secrets', async () => {
    const webhook = await hook({ description: 'chat' })
    const { body } = await ada.raw('GET', '/api/user/export')
    expect(body).toMatchObject({ projects: [{ webhooks: [{ id: webhook.id, description: 'chat' }] }] })
    expect(JSON.stringify(body)).not.toContain('whsec_')
  })
})

describe('the figures of webhooks', () => {
  const none = {
    'tries_total succeeded': 0,
    'tries_total failed': 0,
    'deliveries_total delivered': 0,
    'deliveries_total given_up': 0,
    'deliveries_waiting active': 0,
    'deliveries_waiting paused': 0,
    oldest_waiting_seconds: 0,
  }
  const told = () =>
    hook({ url: `${receiver.url}secret-path`, description: 'chat', actions: ['disk.create'] })
  /** By their names and labels. */
  async function figures(): Promise<Record<string, number>> {
    const { families } = await scrape(desk.app)
    const own = [...families].filter(([name]) => name.startsWith('slipway_webhook_'))
    return Object.fromEntries(
      own.flatMap(([name, metrics]) =>
        metrics.map(({ labels = {}, value }) => [
          [name.slice('slipway_webhook_'.length), ...Object.values(labels)].join(' '),
          Number(value),
        ]),
      ),
    )
  }

  it('are all there before anybody has a webhook', async () => {
    expect(await figures()).toEqual(none)
  })

  it('count tries and deliveries by how they ended', async () => {
    await told()
    await act()
    await act()
    await pass()
    const delivered = { 'tries_total succeeded': 2, 'deliveries_total delivered': 2 }
    expect(await figures()).toEqual({ ...none, ...delivered })
    receiver.answer(410)
    await act()
    await pass()
    const givenUp = { 'tries_total failed': 1, 'deliveries_total given_up': 1 }
    expect(await figures()).toEqual({ ...none, ...delivered, ...givenUp })
  })

  it('tell how much waits and since when, until it is delivered', async () => {
    await told()
    receiver.answer(503)
    await act()
    await pass(1_000)
    await act()
    await pass(60_000)
    const waiting = await figures()
    expect(waiting).toMatchObject({
      'deliveries_total delivered': 0,
      'deliveries_total given_up': 0,
      'deliveries_waiting active': 2,
      'deliveries_waiting paused': 0,
    })
    expect(waiting['tries_total failed']).toBeGreaterThan(1)
    expect(waiting.oldest_waiting_seconds).toBeGreaterThanOrEqual(61)
    receiver.answer(204)
    await pass(3 * 60_000)
    expect(await figures()).toMatchObject({
      'deliveries_total delivered': 2,
      'deliveries_waiting active': 0,
      oldest_waiting_seconds: 0,
    })
  })

  it('do not call late what rests with a paused webhook or a project in the bin', async () => {
    const webhook = await told()
    receiver.answer(503)
    await act()
    await pass(1_000)
    const change = (body: object) => ada.call(webhookApi.update, { ...at(webhook), body })
    const rests = {
      'deliveries_waiting active': 0,
      'deliveries_waiting paused': 1,
      oldest_waiting_seconds: 0,
    }
    await change({ paused: true })
    expect(await figures()).toMatchObject(rests)
    await change({ paused: false })
    expect(await figures()).toMatchObject({ 'deliveries_waiting active': 1, 'deliveries_waiting paused': 0 })
    await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}`)
    expect(await figures()).toMatchObject(rests)
  })

  it('name no webhook, no URL and no receiver', async () => {
    const webhook = await told()
    receiver.answer(503)
    await act()
    await pass()
    const { text } = await scrape(desk.app)
    for (const word of [webhook.id, 'chat', 'secret-path', new URL(receiver.url).host])
      expect(text).not.toContain(word)
  })
})
