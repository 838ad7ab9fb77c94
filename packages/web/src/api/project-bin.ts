import {
  type BinProject,
  type BinProjectRestored,
  type BinProjectsEmptied,
  binEmptyLimit,
} from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { latestDeletion } from './bin.ts'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

const listKey = keyOf('projectBin.list')

const load = ({ signal }: { signal?: AbortSignal } = {}) => call('projectBin.list', signal ? { signal } : {})

/** The projects of the user that are in the bin, the newest first. */
export function useProjectBin() {
  const query = useQuery({ queryKey: listKey, queryFn: load })
  return {
    items: query.data ?? [],
    loading: query.isPending,
    error: query.data ? null : query.error,
    refetch: query.refetch,
  }
}

const refresh = () => queryClient.invalidateQueries({ queryKey: listKey })

/** Whether a project that was just deleted can be restored. */
export async function isProjectInBin(id: string): Promise<boolean> {
  const items = await load()
  void refresh()
  return items.some((item) => item.id === id)
}

/** What is in it is loaded when its pages are shown. */
export async function restoreProject(id: string): Promise<BinProjectRestored> {
  try {
    return await call('projectBin.restore', { params: { itemId: id } })
  } finally {
    // After a refusal as well: it may have been restored meanwhile.
    void refresh()
    void queryClient.invalidateQueries({ queryKey: keyOf('project.list') })
  }
}

export function useDeleteProjectForGood() {
  return useMutation({
    mutationFn: (project: BinProject) => call('projectBin.delete', { params: { itemId: project.id } }),
    onSettled: () => void refresh(),
  })
}

/** Deletes for good the projects that were in the bin when somebody was asked about it. */
async function empty(projects: readonly BinProject[]): Promise<BinProjectsEmptied> {
  const before = latestDeletion(projects)
  const all = { deleted: 0, busy: 0 }
  for (let from = 0; from < projects.length; from += binEmptyLimit) {
    const ids = projects.slice(from, from + binEmptyLimit).map(({ id }) => id)
    const { deleted, busy } = await call('projectBin.empty', { body: { ids, before } })
    all.deleted += deleted
    all.busy += busy
  }
  return all
}

export const useEmptyProjectBin = () => useMutation({ mutationFn: empty, onSettled: () => void refresh() })
