import type { Batch, BatchCreate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Creation, call, said } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveList, pollMs } from './live-list.ts'
import { keyOf, queryClient } from './query.ts'

const list = liveList<Batch>(
  'batch.list',
  'batch',
  (projectId, signal) => call('batch.list', { params: { projectId }, signal }),
  ({ ended_at }) => ended_at === null,
)

/** The batches of a project, in no order that can be relied on: those that come by events stand last. */
export function useBatches(projectId: string) {
  const { items: batches } = list.useList(projectId)
  return { batches }
}

/** A batch with its items. Those are read anew with each event of it, while somebody looks. */
export function useBatch(projectId: string, batchId: string) {
  return useQuery({
    queryKey: keyOf('batch.get', { projectId, batchId }),
    queryFn: ({ signal }) => call('batch.get', { params: { projectId, batchId }, signal }),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? pollMs : false),
  })
}

takeEvents('batch', (projectId, all) => {
  list.patch(projectId, all)
  for (const { object } of all)
    void queryClient.invalidateQueries(
      { queryKey: keyOf('batch.get', { projectId, batchId: object.id }) },
      // Events may come faster than answers. What the last answer lacks comes with the poll.
      { cancelRefetch: false },
    )
})

export function useCreateBatch(projectId: string) {
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: Creation<BatchCreate>) =>
      call('batch.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: (batch) => void list.patch(projectId, [said(batch)]),
  })
}

export function useCancelBatch(projectId: string) {
  return useMutation({
    mutationFn: (batchId: string) => call('batch.cancel', { params: { projectId, batchId } }),
    // After a refusal as well: it may have ended meanwhile.
    onSettled: (_, __, batchId) => {
      void list.refresh(projectId)
      return queryClient.invalidateQueries({ queryKey: keyOf('batch.get', { projectId, batchId }) })
    },
  })
}
