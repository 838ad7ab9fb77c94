import type { Operation } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { call } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveList } from './live-list.ts'

const list = liveList<Operation>(
  'operation.list',
  'operation',
  (projectId, signal) => call('operation.list', { params: { projectId }, signal }),
  // All of them make progress without the user.
  () => true,
)

/** The long operations of a project that run or wait, oldest first. */
export function useOperations(projectId: string) {
  const { items: operations, loading, error } = list.useList(projectId)
  return { operations, loading, error }
}

takeEvents('operation', list.patch)

export function useCancelOperation(projectId: string) {
  return useMutation({
    mutationFn: (operationId: string) => call('operation.cancel', { params: { projectId, operationId } }),
    // After a refusal as well: the operation may have ended meanwhile.
    onSettled: () => void list.refresh(projectId),
  })
}
