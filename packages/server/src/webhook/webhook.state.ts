/** Webhooks and their deliveries as the server knows them. */
import type {
  Activity,
  ActivityKind,
  Webhook,
  WebhookDelivery,
  WebhookMessage,
  WebhookObject,
} from '@slipway/contract'

/** Which entries it takes; null: all. */
export interface WebhookSettings {
  url: string
  description: string
  objects: WebhookObject[] | null
  kinds: ActivityKind[] | null
  actions: string[] | null
  paused: boolean
}

export interface WebhookRecord extends WebhookSettings {
  id: string
  projectId: string
  pausedReason: string | null
  /** Encrypted. */
  secret: string
  oldSecret: string | null
  /** ISO 8601, as all times here. */
  oldSecretUntil: string | null
  failingSince: string | null
  lastFailure: string | null
  gaveUpAt: string | null
  heldUntil: string | null
  lastDeliveredAt: string | null
  createdAt: string
}

export interface DeliveryRecord {
  id: string
  webhookId: string
  state: WebhookDelivery['state']
  tries: number
  nextAt: string | null
  triedAt: string | null
  statusCode: number | null
  durationMs: number | null
  failure: string | null
  entry: Activity
  project: { id: string; name: string }
}

/** A webhook as it is stored. */
interface StoredWebhook {
  id: string
  project_id: string
  url: string
  description: string
  objects: string | null
  kinds: string | null
  actions: string | null
  paused: 0 | 1
  paused_reason: string | null
  secret: string
  old_secret: string | null
  old_secret_until: string | null
  failing_since: string | null
  last_failure: string | null
  gave_up_at: string | null
  held_until: string | null
  last_delivered_at: string | null
  created_at: string
}

// Written by the repo, in this form.
const listOf = <T>(text: string | null) => (text === null ? null : (JSON.parse(text) as T[]))

export const toRecord = (row: StoredWebhook): WebhookRecord => ({
  id: row.id,
  projectId: row.project_id,
  url: row.url,
  description: row.description,
  objects: listOf<WebhookObject>(row.objects),
  kinds: listOf<ActivityKind>(row.kinds),
  actions: listOf<string>(row.actions),
  paused: row.paused === 1,
  pausedReason: row.paused_reason,
  secret: row.secret,
  oldSecret: row.old_secret,
  oldSecretUntil: row.old_secret_until,
  failingSince: row.failing_since,
  lastFailure: row.last_failure,
  gaveUpAt: row.gave_up_at,
  heldUntil: row.held_until,
  lastDeliveredAt: row.last_delivered_at,
  createdAt: row.created_at,
})

/** The columns of a webhook whose deliveries succeed. */
export const wellColumns = { failing_since: null, last_failure: null, gave_up_at: null, held_until: null }

/** What goes over the wire, but for how much waits. */
export const toWebhook = (of: WebhookRecord, waiting: number, nowMs: number): Webhook => ({
  id: of.id,
  project_id: of.projectId,
  url: of.url,
  description: of.description,
  objects: of.objects,
  kinds: of.kinds,
  actions: of.actions,
  paused: of.paused,
  paused_reason: of.pausedReason,
  failing_since: of.failingSince,
  last_failure: of.lastFailure,
  next_try_at: !of.paused && waiting > 0 && isAhead(of.heldUntil, nowMs) ? of.heldUntil : null,
  last_delivered_at: of.lastDeliveredAt,
  waiting,
  old_secret_until: isAhead(of.oldSecretUntil, nowMs) ? of.oldSecretUntil : null,
  created_at: of.createdAt,
})

export const isAhead = (time: string | null, nowMs: number): boolean =>
  time !== null && Date.parse(time) > nowMs

/** The body of a request. What is sent is exactly this as JSON, in each try. */
export const toMessage = ({ entry, project }: Pick<DeliveryRecord, 'entry' | 'project'>): WebhookMessage => ({
  type: entry.action,
  timestamp: entry.at,
  data: entry,
  project,
})

export const toDelivery = (of: DeliveryRecord): WebhookDelivery => ({
  id: of.id,
  webhook_id: of.webhookId,
  state: of.state,
  created_at: of.entry.at,
  tries: of.tries,
  tried_at: of.triedAt,
  next_try_at: of.nextAt,
  status_code: of.statusCode,
  duration_ms: of.durationMs,
  failure: of.failure,
  body: toMessage(of),
})
