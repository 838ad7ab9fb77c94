/** Webhooks of a project: what holds for them, on both sides. Pages load no schema for it. */
import type { ActivityKind, ActivityObject } from './activity.rules.ts'

/** How many webhooks a project has at most. */
export const webhookLimit = 10

export const webhookLimits = { url: 2048, description: 200, actions: 50 } as const

/** What entries of a project's activity log can be about. */
export const webhookObjects = [
  'project',
  'vm',
  'vm_pool',
  'vm_set',
  'disk',
  'vm_snapshot',
  'disk_snapshot',
  'share',
  'batch',
  'webhook',
] as const satisfies readonly ActivityObject[]
export type WebhookObject = (typeof webhookObjects)[number]

/** How long deliveries are kept, in days, and how many of a webhook. */
export const webhookKept = { days: 7, deliveries: 10_000 } as const

/** How long the secret before the present one signs as well, in hours. */
export const oldSecretHours = 24

/** After so many days without a delivery that succeeded, a webhook is paused. */
export const webhookPatienceDays = 3

/** How many deliveries an answer has at most. */
export const webhookPage = { default: 50, max: 200 } as const

/** `waiting`: not sent yet, or to be tried again. `failed`: given up. */
export const webhookDeliveryStates = ['waiting', 'delivered', 'failed'] as const
export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number]

export const webhookTexts = {
  urlMissing: 'Enter the URL that the requests go to',
  urlInvalid: 'Enter an https URL such as https://hooks.example.com/slipway',
  urlTooLong: `Use at most ${webhookLimits.url} characters for the URL`,
  urlCredentials: 'Use a URL without a user name and a password. The signature shows who sends the request.',
  urlHttps: 'Use an https URL. Plain http is only for hosts that the operator lists.',
  urlPrivate: 'The URL points into a private network. Ask the operator to list the host.',
  descriptionTooLong: `Use at most ${webhookLimits.description} characters for the description`,
  objectsMissing: 'Choose at least one kind of object, or all',
  kindsMissing: 'Choose at least one kind of entry, or all',
  actionsMissing: 'Enter at least one action, or leave all actions on',
  actionInvalid: 'Enter actions such as vm.start or vm.running',
  tooManyActions: `Enter at most ${webhookLimits.actions} actions`,
  pausedInvalid: 'Say true or false for paused',
  nothing: 'Change at least one field',
  tooMany: `A project can have at most ${webhookLimit} webhooks. Delete one that is no longer used.`,
  notFound: 'Webhook not found',
  deliveryNotFound: `Delivery not found. Deliveries are deleted after ${webhookKept.days} days.`,
  underWay: 'This delivery is about to be sent',
  /** Why a webhook was paused by Slipway. */
  gone: 'The receiver answered 410 Gone: it does not want any more requests.',
  secretUnreadable: 'The secret of the webhook could not be read. Create a new secret.',
} as const

/** Which entries of the activity log a webhook is sent; null stands for all. */
export interface WebhookFilter {
  objects: readonly string[] | null
  kinds: readonly string[] | null
  actions: readonly string[] | null
}

/** Whether a webhook is sent an entry. What is about itself is not sent to it: a failure would follow upon its failure. */
export function webhookTakes(
  { id, objects, kinds, actions }: WebhookFilter & { id: string },
  entry: { kind: ActivityKind; action: string; object: { type: ActivityObject; id: string } },
): boolean {
  if (entry.object.type === 'webhook' && entry.object.id === id) return false
  return [
    [objects, entry.object.type],
    [kinds, entry.kind],
    [actions, entry.action],
  ].every(([chosen, value]) => chosen === null || (chosen as readonly string[]).includes(value as string))
}

/** Actions as people type them: with commas, spaces or line breaks between. */
export const readActions = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter((one) => one !== '')),
]

/** What is wrong with the URL of a webhook, as far as it can be told without asking anybody; else `true`. */
export function webhookUrlAllowed(text: string): true | string {
  if (text === '') return webhookTexts.urlMissing
  if (text.length > webhookLimits.url) return webhookTexts.urlTooLong
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return webhookTexts.urlInvalid
  const { username, password } = new URL(text)
  return username === '' && password === '' ? true : webhookTexts.urlCredentials
}

/** What a webhook is called in sentences: its description, or else the host it is at. */
export function webhookTitle({ url, description }: { url: string; description: string }): string {
  if (description !== '') return description
  return URL.canParse(url) ? new URL(url).host : url
}
