import { templateApi } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

/** The template catalogue. */
export function useTemplates() {
  const query = useQuery({
    queryKey: keyOf(templateApi.list),
    queryFn: async ({ signal }) => asList(await call(templateApi.list, { signal })),
    staleTime: 60_000,
  })
  return {
    templates: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}
