/** What the activity log says of webhooks. */
import { webhookTitle } from '@slipway/contract'
import { change, type Entry, entry, failure, type Subject, wish } from '../activity/entry.ts'
import type { WebhookRecord } from './webhook.state.ts'

type Named = Pick<WebhookRecord, 'id' | 'projectId' | 'url' | 'description'>

const webhookSubject = (webhook: Named): Subject => ({
  type: 'webhook',
  id: webhook.id,
  name: webhookTitle(webhook),
  projectId: webhook.projectId,
})

type WebhookCall =
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.renewSecret'
  | 'webhook.delete'
  | 'webhook.test'
  | 'webhook.retry'

const sentences: Record<WebhookCall, (title: string) => string> = {
  'webhook.create': (title) => `Created webhook ${title}`,
  'webhook.update': (title) => `Changed webhook ${title}`,
  'webhook.renewSecret': (title) => `Created a new secret for webhook ${title}`,
  'webhook.delete': (title) => `Deleted webhook ${title}`,
  'webhook.test': (title) => `Send a test to webhook ${title} requested`,
  'webhook.retry': (title) => `Send a delivery of webhook ${title} again requested`,
}

/** Somebody did something to a webhook. */
export const webhookAsked = (webhook: Named, call: WebhookCall, userId: string, nowMs: number): Entry =>
  entry(nowMs, webhookSubject(webhook), wish(userId, call, sentences[call](webhookTitle(webhook))))

/** Somebody paused a webhook, or ended a pause. */
export const webhookPaused = (webhook: Named, isPaused: boolean, userId: string, nowMs: number): Entry =>
  entry(
    nowMs,
    webhookSubject(webhook),
    wish(userId, 'webhook.update', `${isPaused ? 'Paused' : 'Resumed'} webhook ${webhookTitle(webhook)}`),
  )

/** A delivery was given up, the first since one succeeded. */
export const webhookGaveUp = (webhook: Named, why: string | null, nowMs: number): Entry =>
  entry(
    nowMs,
    webhookSubject(webhook),
    failure(
      'webhook.failed',
      `Webhook ${webhookTitle(webhook)} is failing, and a delivery was given up`,
      why,
    ),
  )

/** Slipway paused a webhook. */
export const webhookStopped = (webhook: Named, why: string, nowMs: number): Entry =>
  entry(
    nowMs,
    webhookSubject(webhook),
    change('webhook.paused', `Webhook ${webhookTitle(webhook)} was paused`, why),
  )
