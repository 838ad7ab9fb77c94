import type { Host } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'

/** What this installation can do; undefined until the server has answered. */
export function useHost(): Host | undefined {
  return useQuery({
    queryKey: keyOf('host.get'),
    // Not aborted with the component that asked first: every layout asks for it.
    queryFn: () => call('host.get'),
    staleTime: Number.POSITIVE_INFINITY,
  }).data
}
