/** Webhooks in project files, where they go by a name that the API knows as their description. */
import type { Webhook } from '@slipway/contract'
import { webhookLimit, webhookTexts, webhookTitle } from '@slipway/contract/webhook.rules.ts'

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

/**
 * Has as many webhooks go before the first new one as make room for all of them: a project can have so many only. Those
 * that do not fit are a problem.
 *
 * @param there how many the project has
 */
export function withRoom<Step extends { do: string; what?: string }>(
  steps: readonly Step[],
  there: number,
): { steps: readonly Step[]; problems: string[] } {
  const isTo = (verb: string) => (step: Step) => step.what === 'webhooks' && step.do === verb
  const made = steps.filter(isTo('create')).length
  const going = steps.filter(isTo('delete'))
  const tooMany = there + made - webhookLimit
  if (made === 0 || tooMany <= 0) return { steps, problems: [] }
  const first = going.slice(0, tooMany)
  const others = steps.filter((step) => !first.includes(step))
  const left = there + made - going.length
  return {
    steps: others.toSpliced(others.findIndex(isTo('create')), 0, ...first),
    problems: left > webhookLimit ? [`Webhooks: there would be ${left}. ${webhookTexts.tooMany}`] : [],
  }
}
