import type { BinTemplate, BinTemplateRestored } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

const listKey = keyOf('templateBin.list')

const load = ({ signal }: { signal?: AbortSignal } = {}) => call('templateBin.list', signal ? { signal } : {})

/** The templates that are in the bin, the newest first. */
export function useTemplateBin() {
  const query = useQuery({ queryKey: listKey, queryFn: load })
  return {
    items: query.data ?? [],
    loading: query.isPending,
    error: query.data ? null : query.error,
    refetch: query.refetch,
  }
}

const refresh = () => queryClient.invalidateQueries({ queryKey: listKey })

/** Whether a template that was just deleted can be restored. */
export async function isTemplateInBin(id: string): Promise<boolean> {
  const items = await load()
  void refresh()
  return items.some((item) => item.id === id)
}

export async function restoreTemplate(id: string): Promise<BinTemplateRestored> {
  try {
    return await call('templateBin.restore', { params: { itemId: id } })
  } finally {
    // After a refusal as well: it may have been restored meanwhile.
    void refresh()
    for (const list of ['template.listAll', 'template.list'] as const)
      void queryClient.invalidateQueries({ queryKey: keyOf(list) })
  }
}

export function useDeleteTemplateForGood() {
  return useMutation({
    mutationFn: (template: BinTemplate) => call('templateBin.delete', { params: { itemId: template.id } }),
    onSettled: () => void refresh(),
  })
}
