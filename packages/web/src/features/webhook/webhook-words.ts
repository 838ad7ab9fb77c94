import type { Webhook, WebhookDelivery } from '@slipway/contract'
import { kindWords, objectWords } from '../activity/activity-words.ts'

type Filter = Pick<Webhook, 'objects' | 'kinds' | 'actions'>

/** Which entries a webhook is sent, in a line. */
export function entriesText({ objects, kinds, actions }: Filter): string {
  const parts = [
    objects?.map((one) => objectWords[one]).join(', '),
    kinds?.map((one) => kindWords[one]).join(', '),
    actions?.join(', '),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? 'All entries' : parts.join('; ')
}

export type Condition = 'active' | 'paused' | 'failing'

/** How a webhook is. */
export function conditionOf({ paused, failing_since }: Pick<Webhook, 'paused' | 'failing_since'>): Condition {
  if (paused) return 'paused'
  return failing_since === null ? 'active' : 'failing'
}

/** `waiting` says whether it was sent before. */
export function deliveryWord({ state, tries }: Pick<WebhookDelivery, 'state' | 'tries'>): string {
  if (state === 'delivered') return 'Delivered'
  if (state === 'failed') return 'Failed'
  return tries === 0 ? 'Waiting' : 'Waiting to be sent again'
}

/** What the last try was answered and how long it took: `204, 35 ms, 2 tries`; null before the first. */
export function answerText({ status_code, duration_ms, tries }: WebhookDelivery): string | null {
  if (tries === 0) return null
  return [
    ...(status_code === null ? [] : [`${status_code}`]),
    ...(duration_ms === null ? [] : [durationText(duration_ms)]),
    tries === 1 ? '1 try' : `${tries} tries`,
  ].join(', ')
}

const durationText = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
