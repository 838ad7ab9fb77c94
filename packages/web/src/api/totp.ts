import type { Totp } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

const key = keyOf('totp.get')
const readAgain = () => queryClient.invalidateQueries({ queryKey: key })

/** Whether signing in asks for a code. */
export function useTotp() {
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => call('totp.get', { signal }) })
  return {
    totp: query.data as Totp | undefined,
    loading: query.isPending,
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** What an app is set up with. It is kept nowhere. */
export function useBeginTotp() {
  return useMutation({ mutationFn: () => call('totp.begin'), gcTime: 0 })
}

/** Turns it on. Nothing but the answer has the recovery codes, and they are kept nowhere. */
export function useConfirmTotp() {
  return useMutation({
    mutationFn: (code: string) => call('totp.confirm', { body: { code } }),
    gcTime: 0,
    onSuccess: readAgain,
  })
}

export function useRemoveTotp() {
  return useMutation({ mutationFn: () => call('totp.remove'), onSuccess: readAgain })
}

/** As with {@link useConfirmTotp}, only the answer has them. */
export function useRenewCodes() {
  return useMutation({ mutationFn: () => call('totp.renewCodes'), gcTime: 0, onSuccess: readAgain })
}
