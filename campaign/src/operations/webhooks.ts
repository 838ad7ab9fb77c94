/**
 * Webhooks of projects. They lead nowhere: there is no such host, so that every try fails. What they queue is written in the
 * transactions of everything else that a campaign does.
 */
import { webhookApi } from '@slipway/contract'
import { requestOf } from '../client.ts'
import { type Called, type Errand, idOf, type Operation, on } from './operation.ts'

const url = 'https://hooks.invalid/'

/** Nobody's: what is asked of it is refused. */
const nobody = 'nobody'

async function firstWebhook({ person: { client }, parts: { params = {} } }: Errand): Promise<string> {
  const answer = await client.send(requestOf(webhookApi.list, { params }))
  if (answer?.status !== 200) return nobody
  const [first] = JSON.parse(answer.text) as { id: string }[]
  return first?.id ?? nobody
}

/** A call about the oldest webhook of a project, whichever that is by then. */
const ofWebhook = (
  weight: number,
  endpoint: Called,
  rest: { body?: object; params?: object } = {},
): Operation =>
  on('project', 'projectId', endpoint, {
    weight,
    async send(errand) {
      const params = { ...errand.parts.params, ...rest.params, webhookId: await firstWebhook(errand) }
      return errand.person.client.send(requestOf(endpoint, { ...rest, params }))
    },
  })

export const ofWebhooks: Record<string, Operation> = {
  createWebhook: on('project', 'projectId', webhookApi.create, {
    weight: 0.5,
    parts: (args, find, handle) => ({
      params: { projectId: idOf(find(args.on)) },
      body: { url, description: handle },
    }),
  }),
  listWebhooks: on('project', 'projectId', webhookApi.list, { weight: 0.5 }),
  readWebhook: ofWebhook(0.3, webhookApi.get),
  readDeliveries: ofWebhook(0.5, webhookApi.deliveries),
  changeWebhook: ofWebhook(0.3, webhookApi.update, { body: { objects: ['vm', 'disk'], paused: false } }),
  renewWebhookSecret: ofWebhook(0.2, webhookApi.renewSecret),
  testWebhook: ofWebhook(0.3, webhookApi.test),
  retryNothing: ofWebhook(0.2, webhookApi.retry, { params: { deliveryId: nobody } }),
  deleteWebhook: ofWebhook(0.3, webhookApi.delete),
}
