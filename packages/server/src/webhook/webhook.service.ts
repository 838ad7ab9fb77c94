import {
  oldSecretHours,
  type Parsed,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type WebhookWithSecret,
  type webhookApi,
  webhookKept,
  webhookLimit,
  webhookTexts,
} from '@slipway/contract'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { HostPolicy } from '../lib/public-hosts.ts'
import type { DeliveryRepo } from './delivery.repo.ts'
import { webhookAsked, webhookPaused } from './webhook.activity.ts'
import { mayPostTo } from './webhook.post.ts'
import type { WebhookRepo } from './webhook.repo.ts'
import type { WebhookSecrets } from './webhook.secrets.ts'
import { toDelivery, toWebhook, type WebhookRecord, type WebhookSettings } from './webhook.state.ts'

type CreateBody = Parsed<typeof webhookApi.create>['body']
type UpdateBody = Parsed<typeof webhookApi.update>['body']

const hourMs = 60 * 60_000

export type WebhookService = ReturnType<typeof makeWebhookService>

export interface WebhookServiceOptions {
  repo: WebhookRepo
  deliveries: DeliveryRepo
  secrets: WebhookSecrets
  /** Which hosts may be sent to. */
  policy: HostPolicy
  kick: (webhookId: string) => void
  clock: Clock
}

/** Webhooks of projects. Sending is for the reconciler. */
export function makeWebhookService(options: WebhookServiceOptions) {
  const { repo, deliveries, secrets, policy, kick, clock } = options

  async function find(projectId: string, webhookId: string): Promise<WebhookRecord> {
    const webhook = await repo.find(projectId, webhookId)
    if (!webhook) throw gone()
    return webhook
  }

  async function wire(records: readonly WebhookRecord[]): Promise<Webhook[]> {
    const waiting = await repo.waiting(records.map(({ id }) => id))
    return records.map((one) => toWebhook(one, waiting.get(one.id) ?? 0, clock.now()))
  }

  async function get(projectId: string, webhookId: string): Promise<Webhook> {
    const [webhook] = await wire([await find(projectId, webhookId)])
    if (!webhook) throw gone()
    return webhook
  }

  async function delivery(webhookId: string, deliveryId: string): Promise<WebhookDelivery> {
    const found = await deliveries.findDelivery(webhookId, deliveryId)
    if (!found) throw new Problem(404, webhookTexts.deliveryNotFound)
    return toDelivery(found)
  }

  function requirePublic(url: string): void {
    const verdict = mayPostTo(policy, new URL(url))
    if (verdict !== true) throw refuse('url', verdict)
  }

  return {
    async list(projectId: string): Promise<Webhook[]> {
      return wire(await repo.list(projectId))
    },

    get,

    async create(userId: string, projectId: string, body: CreateBody): Promise<WebhookWithSecret> {
      requirePublic(body.url)
      const now = clock.now()
      const id = newId(now)
      const { text, sealed } = secrets.create(id)
      const webhook = { ...body, id, projectId, secret: sealed, createdAt: isoTime(now) }
      const told = webhookAsked(webhook, 'webhook.create', userId, now)
      if (!(await repo.insert(webhook, webhookLimit, told))) throw new Problem(409, webhookTexts.tooMany)
      kick(id)
      return { ...(await get(projectId, id)), secret: text }
    },

    async update(userId: string, projectId: string, webhookId: string, change: UpdateBody): Promise<Webhook> {
      if (change.url !== undefined) requirePublic(change.url)
      const updated = await repo.update(projectId, webhookId, (old) => {
        const settings = changed(old, change)
        const now = clock.now()
        const told =
          settings.paused === old.paused
            ? webhookAsked({ ...old, ...settings }, 'webhook.update', userId, now)
            : webhookPaused({ ...old, ...settings }, settings.paused, userId, now)
        return { settings, entry: told }
      })
      if (!updated) throw gone()
      kick(webhookId)
      return get(projectId, webhookId)
    },

    /** The old secret signs as well for a day, so that receivers can change theirs meanwhile. */
    async renewSecret(userId: string, projectId: string, webhookId: string): Promise<WebhookWithSecret> {
      const webhook = await find(projectId, webhookId)
      const { text, sealed } = secrets.create(webhookId)
      const now = clock.now()
      const told = webhookAsked(webhook, 'webhook.renewSecret', userId, now)
      const oldUntil = isoTime(now + oldSecretHours * hourMs)
      if (!(await repo.renewSecret(webhook, sealed, oldUntil, told))) throw gone()
      return { ...(await get(projectId, webhookId)), secret: text }
    },

    async delete(userId: string, projectId: string, webhookId: string): Promise<void> {
      const webhook = await find(projectId, webhookId)
      const told = webhookAsked(webhook, 'webhook.delete', userId, clock.now())
      if (!(await repo.remove(webhook, told))) throw gone()
      kick(webhookId)
    },

    async test(userId: string, projectId: string, webhookId: string): Promise<WebhookDelivery> {
      const webhook = await find(projectId, webhookId)
      const told = webhookAsked(webhook, 'webhook.test', userId, clock.now())
      const id = await deliveries.queueTest(webhook, told)
      if (id === null) throw gone()
      kick(webhookId)
      return delivery(webhookId, id)
    },

    async deliveries(
      projectId: string,
      webhookId: string,
      { limit, ...filter }: Parsed<typeof webhookApi.deliveries>['query'],
    ): Promise<WebhookDeliveryPage> {
      await find(projectId, webhookId)
      const found = await deliveries.deliveries(webhookId, filter, limit + 1)
      const page = found.slice(0, limit).map(toDelivery)
      return { deliveries: page, next: found.length > limit ? (page.at(-1)?.id ?? null) : null }
    },

    async retry(
      userId: string,
      projectId: string,
      webhookId: string,
      deliveryId: string,
    ): Promise<WebhookDelivery> {
      const webhook = await find(projectId, webhookId)
      await delivery(webhookId, deliveryId)
      const told = webhookAsked(webhook, 'webhook.retry', userId, clock.now())
      if (!(await deliveries.askAgain(deliveryId, told))) throw new Problem(409, webhookTexts.underWay)
      kick(webhookId)
      return delivery(webhookId, deliveryId)
    },

    /** Deletes old deliveries. */
    sweep: (): Promise<void> =>
      deliveries.deleteOld(clock.now() - webhookKept.days * 24 * hourMs, webhookKept.deliveries),
  }
}

const gone = () => new Problem(404, webhookTexts.notFound)

/** What a webhook is set to after a change: what that leaves out stays. */
const changed = (old: WebhookRecord, change: UpdateBody): WebhookSettings => ({
  url: change.url ?? old.url,
  description: change.description ?? old.description,
  objects: change.objects === undefined ? old.objects : change.objects,
  kinds: change.kinds === undefined ? old.kinds : change.kinds,
  actions: change.actions === undefined ? old.actions : change.actions,
  paused: change.paused ?? old.paused,
})
