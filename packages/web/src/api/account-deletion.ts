import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'
import { refreshUser } from './session.ts'

/** Whether the account is being deleted, and what goes along with it. Asked anew each time: it must not be old. */
export function useAccountDeletion() {
  return useQuery({
    queryKey: keyOf('accountDeletion.get'),
    queryFn: ({ signal }) => call('accountDeletion.get', { signal }),
    staleTime: 0,
    gcTime: 0,
  })
}

export const requestDeletion = () => call('accountDeletion.request')

/** Keeps the account; the user of the page is the one it was before. */
export function useKeepAccount() {
  return useMutation({
    mutationFn: () => call('accountDeletion.cancel'),
    onSuccess: refreshUser,
  })
}
