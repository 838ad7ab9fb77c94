import { type BinItem, type BinRestored, binEmptyLimit } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveList } from './live-list.ts'
import { keyOf, queryClient } from './query.ts'

const list = liveList<BinItem>(
  'bin.list',
  'bin_item',
  (projectId, signal) => call('bin.list', { params: { projectId }, signal }),
  () => false,
)

/** What is in the bin of a project, in no order that can be relied on: what comes by events stands last. */
export function useBin(projectId: string) {
  const { items, ...rest } = list.useList(projectId)
  return { items, ...rest }
}

takeEvents('bin_item', list.patch)

/** What objects would do to the bin, were they deleted now; not asked of none. */
export function useBinPreview(of: { projectId: string; ids: readonly string[] } | undefined) {
  const { projectId = '', ids = [] } = of ?? {}
  const { data, isError } = useQuery({
    queryKey: ['bin.preview', projectId, ids],
    queryFn: ({ signal }) => call('bin.preview', { params: { projectId }, body: { ids: [...ids] }, signal }),
    enabled: ids.length > 0,
    // Each question asks anew.
    staleTime: 0,
    gcTime: 0,
  })
  return { effect: data, isUnknown: ids.length > 0 && data === undefined, isError }
}

type Ref = Pick<BinItem, 'id' | 'project_id'>

const paramsOf = ({ id, project_id }: Ref) => ({ projectId: project_id, itemId: id })

/** Whether something that was just deleted can be restored. */
export async function isInBin({ id, project_id }: Ref): Promise<boolean> {
  const items = await call('bin.list', { params: { projectId: project_id } })
  return items.some((item) => item.id === id)
}

/** The lists of what came back hear of it by events; here they are loaded in case those are late. */
export async function restoreFromBin(item: Ref): Promise<BinRestored> {
  const { project_id: projectId } = item
  try {
    const back = await call('bin.restore', { params: paramsOf(item) })
    list.drop(projectId, item.id)
    for (const id of [
      'vm.list',
      'disk.list',
      'vmSnapshot.list',
      'diskSnapshot.list',
      'vmPool.list',
      'vmSet.list',
    ] as const)
      void queryClient.invalidateQueries({ queryKey: keyOf(id, { projectId }) })
    return back
  } finally {
    // After a refusal as well: it may have been restored meanwhile.
    void list.refresh(projectId)
  }
}

export const useRestore = () => useMutation({ mutationFn: restoreFromBin })

export function useDeleteForGood() {
  return useMutation({
    mutationFn: (item: BinItem) => call('bin.delete', { params: paramsOf(item) }),
    onSuccess: (_, item) => list.drop(item.project_id, item.id),
    onSettled: (_, __, item) => void list.refresh(item.project_id),
  })
}

/** When the last of them was deleted: what comes into the bin later is not meant. */
export const latestDeletion = (items: readonly { deleted_at: string }[]): string =>
  items.map(({ deleted_at }) => deleted_at).reduce((a, b) => (a > b ? a : b), '')

/** Deletes for good what was in the bin when somebody was asked about it; answers with how many of that were still there. */
async function empty(projectId: string, items: readonly BinItem[]): Promise<number> {
  const before = latestDeletion(items)
  let all = 0
  for (let from = 0; from < items.length; from += binEmptyLimit) {
    const ids = items.slice(from, from + binEmptyLimit).map(({ id }) => id)
    const { deleted } = await call('bin.empty', { params: { projectId }, body: { ids, before } })
    all += deleted
  }
  return all
}

export const useEmptyBin = (projectId: string) =>
  useMutation({
    mutationFn: (items: readonly BinItem[]) => empty(projectId, items),
    onSettled: () => void list.refresh(projectId),
  })
