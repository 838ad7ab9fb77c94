import type { AdminMailState } from '@slipway/contract'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

/** Mails are sent without events of theirs. */
const watchEveryMs = 5_000

/** The mails of the server, newest first, a page at a time; null: in whatever state. */
export function useMails(state: AdminMailState | null) {
  const query = useInfiniteQuery({
    queryKey: [...keyOf('adminMail.list'), state],
    queryFn: ({ pageParam, signal }) =>
      call('adminMail.list', {
        query: { ...(state && { state }), ...(pageParam && { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    refetchInterval: watchEveryMs,
  })
  return {
    mails: query.data?.pages.flatMap(({ mails }) => mails) ?? [],
    loading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? () => void query.fetchNextPage() : null,
    loadingMore: query.isFetchingNextPage,
  }
}

/** Has a mail sent at once that failed or waits. */
export function useSendMailAgain() {
  return useMutation({
    mutationFn: (mailId: string) => call('adminMail.retry', { params: { mailId } }),
    // It may have been sent meanwhile.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: keyOf('adminMail.list') }),
  })
}
