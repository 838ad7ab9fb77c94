import type { CallInput, EndpointOf, Template } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('template.list')

/** The template catalogue. */
export function useTemplates() {
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => asList(await call('template.list', { signal })),
    staleTime: 60_000,
  })
  return {
    templates: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Adds a template; it is last in the catalogue then. */
export function useCreateTemplate() {
  return useMutation({
    mutationFn: (body: CallInput<EndpointOf<'template.create'>>['body']) => call('template.create', { body }),
    onSuccess: (created) => {
      queryClient.setQueryData<Template[]>(listKey, (old) => old && [...old, created])
      void queryClient.invalidateQueries({ queryKey: listKey })
    },
  })
}
