import type { Webhook, WebhookCreate, WebhookDeliveryState, WebhookUpdate } from '@slipway/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

/** Deliveries come and go without an event, so they are loaded at these intervals while somebody looks. */
const pollMs = 10_000
const waitingMs = 2_000

const listKey = (projectId: string) => keyOf('webhook.list', { projectId })

/** The webhooks of a project, oldest first, for whoever may see them. */
export function useWebhooks(projectId: string, enabled: boolean) {
  const query = useQuery({
    queryKey: listKey(projectId),
    queryFn: async ({ signal }) => asList(await call('webhook.list', { params: { projectId }, signal })),
    refetchInterval: ({ state }) => (state.data?.some(({ waiting }) => waiting > 0) ? waitingMs : pollMs),
    enabled,
  })
  return {
    webhooks: query.data ?? [],
    loading: enabled && (query.isPending || (query.isFetching && query.data === undefined)),
    error: query.data ? null : query.error,
    refetch: query.refetch,
  }
}

/** The newest deliveries of a webhook; with another state the old ones stay until the new ones arrive. */
export function useWebhookDeliveries(
  webhook: Pick<Webhook, 'id' | 'project_id'>,
  state: WebhookDeliveryState | undefined,
  limit: number,
) {
  const params = { projectId: webhook.project_id, webhookId: webhook.id }
  return useQuery({
    queryKey: [...keyOf('webhook.deliveries', params), state ?? null, limit],
    queryFn: ({ signal }) =>
      call('webhook.deliveries', { params, query: { limit, ...(state && { state }) }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.deliveries.some((one) => one.state === 'waiting') ? waitingMs : pollMs,
  })
}

/** What can be done to webhooks of a project. Nothing but the answers has secrets, and they are kept nowhere. */
export function useWebhookActs(projectId: string) {
  const onSettled = () =>
    Promise.all(
      [listKey(projectId), keyOf('webhook.deliveries')].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    )
  const of = (webhookId: string) => ({ params: { projectId, webhookId } })
  return {
    create: useMutation({
      mutationFn: (body: WebhookCreate) => call('webhook.create', { params: { projectId }, body }),
      gcTime: 0,
      onSettled,
    }),
    update: useMutation({
      mutationFn: ({ id, body }: { id: string; body: WebhookUpdate }) =>
        call('webhook.update', { ...of(id), body }),
      onSettled,
    }),
    renewSecret: useMutation({
      mutationFn: (id: string) => call('webhook.renewSecret', of(id)),
      gcTime: 0,
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (id: string) => call('webhook.delete', of(id)),
      onSettled,
    }),
    test: useMutation({ mutationFn: (id: string) => call('webhook.test', of(id)), onSettled }),
    retry: useMutation({
      mutationFn: ({ id, deliveryId }: { id: string; deliveryId: string }) =>
        call('webhook.retry', { params: { projectId, webhookId: id, deliveryId } }),
      onSettled,
    }),
  }
}
