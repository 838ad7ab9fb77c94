import type { SessionInfo } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('account.sessions')

/** Where the user is signed in, the session used last first. */
export function useSessions() {
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => asList(await call('account.sessions', { signal })),
  })
  return {
    sessions: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Sessions ended elsewhere than here, as by a new password. */
export const refetchSessions = (): void => void queryClient.invalidateQueries({ queryKey: listKey })

const keep = (isKept: (session: SessionInfo) => boolean) =>
  queryClient.setQueryData<SessionInfo[]>(listKey, (old) => old?.filter(isKept))

export function useEndSession() {
  return useMutation({
    mutationFn: (sessionId: string) => call('account.endSession', { params: { sessionId } }),
    onSuccess: (_, sessionId) => keep(({ id }) => id !== sessionId),
  })
}

export function useEndOtherSessions() {
  return useMutation({
    mutationFn: () => call('account.endOtherSessions'),
    onSuccess: () => keep(({ current }) => current),
  })
}
