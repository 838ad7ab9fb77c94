/**
 * Sends what waits: a look at a webhook makes one try, so that each webhook has one request under way at a time and takes
 * turns with the others. The outcome is stored after the request; a server that is killed between the two sends it again,
 * under the same id.
 */
import { webhookTexts } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Again } from '../lib/reconciler.ts'
import type { DeliveryRepo, DueDelivery } from './delivery.repo.ts'
import { webhookGaveUp, webhookStopped } from './webhook.activity.ts'
import { afterTry, type Verdict } from './webhook.plan.ts'
import type { Post, Sent } from './webhook.post.ts'
import type { WebhookSecrets } from './webhook.secrets.ts'
import { signedHeaders } from './webhook.signature.ts'
import { toMessage } from './webhook.state.ts'

/** Whatever waits, a webhook is looked at again after so long: what was queued meanwhile may be due before. */
const longestMs = 30_000

export function makeWebhookReconcile(options: {
  repo: Pick<DeliveryRepo, 'next' | 'nextAt' | 'settle' | 'dueWebhooks' | 'isAny'>
  post: Post
  secrets: Pick<WebhookSecrets, 'of'>
  /** Entries were stored that may be due for other webhooks. */
  onEntries: () => void
  clock: Clock
  random?: () => number
}) {
  const { repo, post, secrets, onEntries, clock, random = Math.random } = options
  let isUsed = false
  const tries = { succeeded: 0, failed: 0 }
  const ended = { delivered: 0, given_up: 0 }

  async function send({ webhook, delivery }: DueDelivery): Promise<Sent> {
    const body = JSON.stringify(toMessage(delivery))
    const nowMs = clock.now()
    let keys: Buffer[]
    try {
      keys = secrets.of(webhook, nowMs)
    } catch {
      return { status: null, failure: webhookTexts.secretUnreadable, retryAfterMs: null, durationMs: 0 }
    }
    return post(webhook.url, signedHeaders(delivery.id, nowMs, body, keys), body)
  }

  async function look(webhookId: string): Promise<Again> {
    isUsed = true
    const due = await repo.next(webhookId, isoTime(clock.now()))
    if (!due) return again(webhookId)
    const { webhook, delivery } = due
    const sent = await send(due)
    const nowMs = clock.now()
    const verdict = afterTry({
      outcome: sent,
      tries: delivery.tries + 1,
      isTest: delivery.entry.action === 'webhook.test' && delivery.entry.object.id === webhook.id,
      failingSinceMs: webhook.failingSince === null ? null : Date.parse(webhook.failingSince),
      nowMs,
      jitter: random(),
    })
    const entries = toldOf(due, verdict, sent.failure, nowMs)
    if (await repo.settle(due, { sent, verdict, nowMs }, entries)) count(verdict)
    if (entries.length > 0) onEntries()
    return 'now'
  }

  function count({ delivery: { state } }: Verdict): void {
    tries[state === 'delivered' ? 'succeeded' : 'failed']++
    if (state === 'delivered') ended.delivered++
    if (state === 'failed') ended.given_up++
  }

  /** When the next delivery is due, of those that wait now. */
  async function again(webhookId: string): Promise<Again> {
    const nextAt = await repo.nextAt(webhookId, isoTime(clock.now()))
    if (nextAt === null) return 'when-kicked'
    return { afterMs: Math.min(Math.max(Date.parse(nextAt) - clock.now(), 0), longestMs) }
  }

  return {
    look,
    async scan(): Promise<string[]> {
      isUsed = await repo.isAny()
      return isUsed ? repo.dueWebhooks(isoTime(clock.now())) : []
    },
    /** Whether there was any webhook at the last scan. */
    isUsed: () => isUsed,
    /** How tries and deliveries ended since the server started. */
    tally: () => ({ tries, ended }),
  }
}

/** What the log says of a try: that a webhook is failing once until a delivery succeeds, and that it was paused. */
function toldOf({ webhook }: DueDelivery, verdict: Verdict, why: string | null, nowMs: number): Entry[] {
  if (verdict.webhook?.is !== 'failing') return []
  const { pausedFor } = verdict.webhook
  const gaveUp = verdict.delivery.state === 'failed' && webhook.gaveUpAt === null && pausedFor === null
  return [
    ...(gaveUp ? [webhookGaveUp(webhook, why, nowMs)] : []),
    ...(pausedFor !== null && !webhook.paused ? [webhookStopped(webhook, pausedFor, nowMs)] : []),
  ]
}
