/** What `GET /metrics` says of webhooks. */
import { diskApi, type WebhookWithSecret, webhookApi } from '@slipway/contract'
import parsePrometheus from 'parse-prometheus-text-format'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Desk, openDesk } from '../desk.test-kit.ts'
import { startReceiver } from './receiver.test-kit.ts'

let receiver: Awaited<ReturnType<typeof startReceiver>>
let desk: Desk

beforeEach(async () => {
  receiver = await startReceiver()
  desk = await openDesk({ privateWebhooks: ['127.0.0.1'] })
})
afterEach(async () => {
  await receiver.close()
  await desk.close()
})

const hook = async (): Promise<WebhookWithSecret> => {
  const body = { url: `${receiver.url}secret-path`, description: 'chat', actions: ['disk.create'] }
  return (await desk.ada.call(webhookApi.create, { params: desk.params, body })).body
}

const change = (webhook: { id: string }, body: object) =>
  desk.ada.call(webhookApi.update, { params: { ...desk.params, webhookId: webhook.id }, body })

async function pass(ms = 6_000): Promise<void> {
  await desk.pass(ms)
  await desk.app.idle()
}

let names = 0
const act = () =>
  desk.ada.call(diskApi.create, {
    params: desk.params,
    body: { name: `d${++names}`, size: '1Gi', source: 'EMPTY' as const },
  })

async function scrape(): Promise<string> {
  const headers = { authorization: 'Bearer operator-token' }
  return (await desk.app.app.inject({ method: 'GET', url: '/metrics', headers })).body
}

/** The figures of webhooks, by their names and labels. */
async function figures(): Promise<Record<string, number>> {
  const families = parsePrometheus(await scrape()).filter(({ name }) => name.startsWith('slipway_webhook_'))
  return Object.fromEntries(
    families.flatMap(({ name, metrics }) =>
      metrics.map(({ labels = {}, value }) => [
        [name.slice('slipway_webhook_'.length), ...Object.values(labels)].join(' '),
        Number(value),
      ]),
    ),
  )
}

const none = {
  'tries_total succeeded': 0,
  'tries_total failed': 0,
  'deliveries_total delivered': 0,
  'deliveries_total given_up': 0,
  'deliveries_waiting active': 0,
  'deliveries_waiting paused': 0,
  oldest_waiting_seconds: 0,
}

describe('the figures of webhooks', () => {
  it('are all there before anybody has a webhook', async () => {
    expect(await figures()).toEqual(none)
  })

  it('count tries and deliveries by how they ended', async () => {
    await hook()
    await act()
    await act()
    await pass()
    expect(await figures()).toEqual({
      ...none,
      'tries_total succeeded': 2,
      'deliveries_total delivered': 2,
    })
    receiver.answer(410)
    await act()
    await pass()
    expect(await figures()).toMatchObject({
      'tries_total succeeded': 2,
      'tries_total failed': 1,
      'deliveries_total delivered': 2,
      'deliveries_total given_up': 1,
    })
  })

  it('tell how much waits and since when, until it is delivered', async () => {
    await hook()
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
    const webhook = await hook()
    receiver.answer(503)
    await act()
    await pass(1_000)
    const rests = {
      'deliveries_waiting active': 0,
      'deliveries_waiting paused': 1,
      oldest_waiting_seconds: 0,
    }
    await change(webhook, { paused: true })
    expect(await figures()).toMatchObject(rests)
    await change(webhook, { paused: false })
    expect(await figures()).toMatchObject({ 'deliveries_waiting active': 1, 'deliveries_waiting paused': 0 })
    await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}`)
    expect(await figures()).toMatchObject(rests)
  })

  it('name no webhook, no URL and no receiver', async () => {
    const webhook = await hook()
    receiver.answer(503)
    await act()
    await pass()
    const text = await scrape()
    for (const word of [webhook.id, 'chat', 'secret-path', new URL(receiver.url).host])
      expect(text).not.toContain(word)
  })
})
