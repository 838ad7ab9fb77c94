/** Webhooks in project files, where they go by a name that the API knows as their description. */
import type { Webhook } from '@slipway/contract'
import { webhookTitle } from '@slipway/contract/webhook.rules.ts'

/** A webhook by its name: its description, or the host of one that has none. */
export type NamedWebhook = Webhook & { name: string }

export const named = (webhook: Webhook): NamedWebhook => ({ ...webhook, name: webhookTitle(webhook) })

/** The description with which a webhook at this URL goes by a name: none where that is its host. */
export const descriptionFor = (name: string, url: string): string =>
  webhookTitle({ url, description: '' }) === name ? '' : name

/** What a change of the URL takes along: one that goes by its host keeps that as its name. */
export const takenAlong = ({ name, description }: NamedWebhook, url: string) =>
  description === '' && descriptionFor(name, url) === name
    ? [{ field: 'description', from: '', to: name }]
    : []
