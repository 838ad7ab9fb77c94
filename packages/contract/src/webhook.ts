import { z } from 'zod'
import { Activity, ActivityKindWord } from './activity.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { proofTexts } from './proof.rules.ts'
import { hasHiddenCharacters } from './text.rules.ts'
import { Id, Time } from './text.ts'
import {
  webhookDeliveryStates,
  webhookLimits,
  webhookObjects,
  webhookPage,
  webhookTexts,
  webhookUrlAllowed,
} from './webhook.rules.ts'

const t = webhookTexts

const DeliveryState = z.enum(webhookDeliveryStates).meta({ id: 'WebhookDeliveryState' })

const ObjectWord = z.enum(webhookObjects).meta({ id: 'WebhookObject' })

const Url = z
  .string({ error: t.urlMissing })
  .trim()
  .superRefine((text, context) => {
    const verdict = webhookUrlAllowed(text)
    if (verdict !== true) context.addIssue({ code: 'custom', message: verdict })
  })

const Description = z
  .string()
  .trim()
  .max(webhookLimits.description, t.descriptionTooLong)
  .refine((text) => !hasHiddenCharacters(text), 'Use a description without control characters')

const once = <T>(list: readonly T[]): T[] => [...new Set(list)]
const Objects = z.array(ObjectWord, { error: t.objectsMissing }).min(1, t.objectsMissing).transform(once)
const Kinds = z.array(ActivityKindWord, { error: t.kindsMissing }).min(1, t.kindsMissing).transform(once)
const Actions = z
  .array(z.string().regex(/^[A-Za-z_]{1,40}\.[A-Za-z_]{1,40}$/, t.actionInvalid), { error: t.actionsMissing })
  .min(1, t.actionsMissing)
  .max(webhookLimits.actions, t.tooManyActions)
  .transform(once)

/** Where entries of a project's activity log are sent as they happen, signed after Standard Webhooks. */
export const Webhook = z.object({
  id: Id,
  project_id: Id,
  url: z.string(),
  description: z.string(),
  /** Only entries about these kinds of objects; null: all. */
  objects: z.array(ObjectWord).nullable(),
  /** Only entries of these kinds; null: all. */
  kinds: z.array(ActivityKindWord).nullable(),
  /** Only entries with these actions, such as `vm.start`; null: all. */
  actions: z.array(z.string()).nullable(),
  /** While it is paused nothing is sent, and what happens is not kept for it. */
  paused: z.boolean(),
  /** Why Slipway paused it; null otherwise. */
  paused_reason: z.string().nullable(),
  /** When the first try failed of those that failed in a row; null while deliveries succeed. */
  failing_since: Time.nullable(),
  /** Why the last try failed; null while deliveries succeed. */
  last_failure: z.string().nullable(),
  /** When the receiver is tried again, if it did not respond; deliveries wait until then. */
  next_try_at: Time.nullable(),
  last_delivered_at: Time.nullable(),
  /** Deliveries that wait. */
  waiting: z.int(),
  /** Until when requests are signed with the secret before the present one as well; null: they are not. */
  old_secret_until: Time.nullable(),
  created_at: Time,
})
export type Webhook = z.infer<typeof Webhook>

/** Answers of this kind alone have the secret. */
export const WebhookWithSecret = Webhook.extend({
  /** `whsec_` and base64. */
  secret: z.string(),
})
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

export const WebhookCreate = z.object({
  /** https, or http for hosts that the operator lists. */
  url: Url,
  description: Description.default(''),
  /** Only entries about these kinds of objects; null: all. */
  objects: Objects.nullable().default(null),
  /** Only entries of these kinds; null: all. */
  kinds: Kinds.nullable().default(null),
  /** Only entries with these actions, such as `vm.start`; null: all. */
  actions: Actions.nullable().default(null),
  paused: z.boolean({ error: t.pausedInvalid }).default(false),
})
export type WebhookCreate = z.input<typeof WebhookCreate>

/** What is left out stays as it is. */
export const WebhookUpdate = z
  .object({
    /** What waits goes to the new URL. */
    url: Url.optional(),
    description: Description.optional(),
    objects: Objects.nullable().optional(),
    kinds: Kinds.nullable().optional(),
    actions: Actions.nullable().optional(),
    /** False also ends a pause that Slipway began. */
    paused: z.boolean({ error: t.pausedInvalid }).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), t.nothing)
export type WebhookUpdate = z.input<typeof WebhookUpdate>

/** The body of each request that a webhook is sent. */
export const WebhookMessage = z.object({
  /** The action of the entry, such as `vm.start`; `webhook.test` of a test. */
  type: z.string(),
  /** When it happened. The header `webhook-timestamp` is when the request was sent. */
  timestamp: Time,
  /** The entry of the activity log. */
  data: Activity,
  project: z.object({ id: Id, name: z.string() }),
})
export type WebhookMessage = z.infer<typeof WebhookMessage>

/** An entry on its way to a webhook. */
export const WebhookDelivery = z.object({
  /** The header `webhook-id`, the same in all tries. */
  id: Id,
  webhook_id: Id,
  state: DeliveryState,
  created_at: Time,
  /** How often it was sent. */
  tries: z.int(),
  /** When it was sent last; null: not yet. */
  tried_at: Time.nullable(),
  /** When it is sent next; null when it is not. */
  next_try_at: Time.nullable(),
  /** What the receiver answered last; null when it did not. */
  status_code: z.int().nullable(),
  /** How long the last try took. */
  duration_ms: z.int().nullable(),
  /** Why the last try failed; null otherwise. */
  failure: z.string().nullable(),
  body: WebhookMessage,
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

/** Newest first. `next` is the `before` of the next page; null on the last one. */
export const WebhookDeliveryPage = z.object({ deliveries: z.array(WebhookDelivery), next: Id.nullable() })
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>

export const WebhookParams = ProjectParams.extend({ webhookId: Id })

const notFound = [messages.projectNotFound, t.notFound]
const broken = [
  t.urlMissing,
  t.urlInvalid,
  t.urlTooLong,
  t.urlCredentials,
  t.urlHttps,
  t.urlPrivate,
  t.descriptionTooLong,
  t.objectsMissing,
  t.kindsMissing,
  t.actionsMissing,
  t.actionInvalid,
  t.tooManyActions,
  t.pausedInvalid,
]

export const webhookApi = {
  list: endpoint('webhook.list', {
    summary: 'The webhooks of a project, oldest first, without their secrets',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(Webhook),
    errors: { 404: [messages.projectNotFound] },
  }),
  // Not idempotent: a key keeps its answer, and this one must not be kept.
  create: endpoint('webhook.create', {
    summary: 'Create a webhook; only this response contains its secret',
    auth: 'session',
    status: 201,
    params: ProjectParams,
    body: WebhookCreate,
    response: WebhookWithSecret,
    errors: { 400: broken, 403: [proofTexts.needed], 404: [messages.projectNotFound], 409: [t.tooMany] },
  }),
  get: endpoint('webhook.get', {
    summary: 'A webhook',
    auth: 'session',
    status: 200,
    params: WebhookParams,
    response: Webhook,
    errors: { 404: notFound },
  }),
  update: endpoint('webhook.update', {
    summary: 'Change a webhook, pause it or go on with it',
    auth: 'session',
    status: 200,
    params: WebhookParams,
    body: WebhookUpdate,
    response: Webhook,
    errors: { 400: [t.nothing, ...broken], 403: [proofTexts.needed], 404: notFound },
  }),
  renewSecret: endpoint('webhook.renewSecret', {
    summary: 'Create a new secret; only this response contains it. The old one signs as well for a day',
    auth: 'session',
    status: 200,
    params: WebhookParams,
    response: WebhookWithSecret,
    errors: { 403: [proofTexts.needed], 404: notFound },
  }),
  delete: endpoint('webhook.delete', {
    summary: 'Delete a webhook with its deliveries; what waits is not sent',
    auth: 'session',
    status: 204,
    params: WebhookParams,
    errors: { 404: notFound },
  }),
  test: endpoint('webhook.test', {
    summary: 'Send a test to a webhook, also while it is paused; it is tried once',
    auth: 'session',
    status: 202,
    params: WebhookParams,
    response: WebhookDelivery,
    errors: { 404: notFound },
  }),
  deliveries: endpoint('webhook.deliveries', {
    summary: 'What was sent to a webhook and what waits, newest first, with what came of it',
    auth: 'session',
    status: 200,
    params: WebhookParams,
    query: z.object({
      /** Only what is older than this delivery. */
      before: Id.optional(),
      limit: z.coerce.number().int().min(1).max(webhookPage.max).default(webhookPage.default),
      state: DeliveryState.optional(),
    }),
    response: WebhookDeliveryPage,
    errors: { 404: notFound },
  }),
  retry: endpoint('webhook.retry', {
    summary: 'Send a delivery again at once, also while the webhook is paused',
    auth: 'session',
    status: 202,
    params: WebhookParams.extend({ deliveryId: Id }),
    response: WebhookDelivery,
    errors: { 404: [...notFound, t.deliveryNotFound], 409: [t.underWay] },
  }),
}
