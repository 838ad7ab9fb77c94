import type { Proof } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'

export const giveProof = (body: Proof): Promise<unknown> => call('proof.give', { body })

/** How the user can confirm who they are; the password until that is known. */
export function useProofWays() {
  const { data } = useQuery({
    queryKey: keyOf('proof.ways'),
    queryFn: ({ signal }) => call('proof.ways', { signal }),
    staleTime: 0,
  })
  return data ?? { password: true, code: false, passkey: false }
}
