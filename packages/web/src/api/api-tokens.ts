import type { ApiToken, ApiTokenCreate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('apiToken.list')

/** The user's API tokens, oldest first. */
export function useApiTokens() {
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => asList(await call('apiToken.list', { signal })),
  })
  return {
    apiTokens: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Creates a token. Nothing but the answer has the token itself, and it is kept nowhere. */
export function useCreateApiToken() {
  return useMutation({
    mutationFn: (body: ApiTokenCreate) => call('apiToken.create', { body }),
    gcTime: 0,
    onSuccess: ({ token: _, ...created }) => {
      queryClient.setQueryData<ApiToken[]>(listKey, (old) => old && [...old, created])
    },
  })
}

/** Revokes a token. */
export function useDeleteApiToken() {
  return useMutation({
    mutationFn: (apiTokenId: string) => call('apiToken.delete', { params: { apiTokenId } }),
    onSuccess: (_, apiTokenId) =>
      queryClient.setQueryData<ApiToken[]>(listKey, (old) => old?.filter(({ id }) => id !== apiTokenId)),
  })
}
