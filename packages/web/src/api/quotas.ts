import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'
import { reloadOnEvents } from './reload-on-events.ts'

/** Forms count on it; a burst of changes is one more request. */
const reloadEveryMs = 1_000

reloadOnEvents('quota.ofProject', reloadEveryMs)

/** What a project and its owner use, and their limits; undefined until it is known, and where it cannot be loaded. */
export function useQuota(projectId: string | undefined) {
  const params = { projectId: projectId ?? '' }
  return useQuery({
    queryKey: keyOf('quota.ofProject', params),
    queryFn: ({ signal }) => call('quota.ofProject', { params, signal }),
    enabled: projectId !== undefined && projectId !== '',
    // Others may use it up: each form asks anew.
    staleTime: 0,
  }).data
}

/** What all projects of the user's account use together; undefined until it is known, and where it cannot be loaded. */
export function useOwnQuota(enabled: boolean) {
  return useQuery({
    queryKey: keyOf('quota.ofAccount'),
    queryFn: ({ signal }) => call('quota.ofAccount', { signal }),
    enabled,
    staleTime: 0,
  }).data
}
