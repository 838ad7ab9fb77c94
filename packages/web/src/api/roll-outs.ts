/** Other settings for the VMs of a pool or set, which are replaced one by one. */
import type { VmPoolRollOut } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

export type RollOutKind = 'vmPool' | 'vmSet'

interface Group {
  id: string
  project_id: string
}

/** What can be done about the roll-out of one pool or set; the page shows it when a call has ended. */
export function useRollOut(kind: RollOutKind, { id: groupId, project_id: projectId }: Group) {
  const ofPool = { params: { projectId, poolId: groupId } }
  const ofSet = { params: { projectId, setId: groupId } }
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keyOf(`${kind}.get`, { projectId, groupId }) }),
      queryClient.invalidateQueries({ queryKey: keyOf(`${kind}.history`, { projectId, groupId }) }),
      queryClient.invalidateQueries({ queryKey: keyOf(`${kind}.list`, { projectId }) }),
    ])
  const isPool = kind === 'vmPool'
  return {
    begin: useMutation({
      mutationFn: async (body: VmPoolRollOut): Promise<unknown> =>
        isPool ? call('vmPool.rollOut', { ...ofPool, body }) : call('vmSet.rollOut', { ...ofSet, body }),
      onSettled: refresh,
    }),
    resume: useMutation({
      mutationFn: async (): Promise<unknown> =>
        isPool ? call('vmPool.continueRollOut', ofPool) : call('vmSet.continueRollOut', ofSet),
      onSettled: refresh,
    }),
    stop: useMutation({
      mutationFn: async (): Promise<unknown> =>
        isPool ? call('vmPool.stopRollOut', ofPool) : call('vmSet.stopRollOut', ofSet),
      onSettled: refresh,
    }),
  }
}
