import {
  type ActivityKind,
  readActions,
  type Webhook,
  type WebhookCreate,
  type WebhookObject,
  webhookUrlAllowed,
} from '@slipway/contract'

/** What is typed and chosen in the form of a webhook. */
export interface WebhookFields {
  url: string
  description: string
  which: 'all' | 'some'
  objects: readonly WebhookObject[]
  kinds: readonly ActivityKind[]
  actions: string
}

export const noFields: WebhookFields = {
  url: '',
  description: '',
  which: 'all',
  objects: [],
  kinds: [],
  actions: '',
}

export const fieldsOf = ({ url, description, objects, kinds, actions }: Webhook): WebhookFields => ({
  url,
  description,
  which: objects || kinds || actions ? 'some' : 'all',
  objects: objects ?? [],
  kinds: kinds ?? [],
  actions: (actions ?? []).join(', '),
})

/** What nothing was chosen of is all of it. */
const chosen = <T>(list: readonly T[]): T[] | null => (list.length === 0 ? null : [...list])

/** The body of the request. The schema of the contract says what is wrong with it. */
export function toBody({ url, description, which, objects, kinds, actions }: WebhookFields): WebhookCreate {
  const some = which === 'some'
  return {
    url: url.trim(),
    description: description.trim(),
    objects: some ? chosen(objects) : null,
    kinds: some ? chosen(kinds) : null,
    actions: some ? chosen(readActions(actions)) : null,
  }
}

export const nothingChosen = 'Choose an object or a kind, or enter an action'

/** What is broken that the schema takes for something else. */
export function brokenRule(fields: WebhookFields): string | undefined {
  const verdict = webhookUrlAllowed(fields.url.trim())
  if (verdict !== true) return verdict
  const { objects, kinds, actions } = toBody(fields)
  return fields.which === 'some' && !objects && !kinds && !actions ? nothingChosen : undefined
}
