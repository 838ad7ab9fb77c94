import type { Usage } from '@slipway/contract'
import { hashKey, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'
import { samplePollMs } from './usage-now.ts'

export type UsageRange = 'hour' | 'day'

/** Whose usage to load. */
export type UsageOf =
  | { project: string }
  | { project: string; vm: string }
  | { project: string; pool: string }
  | { project: string; set: string }

/** In the view of a day a new sample comes every five minutes. Not asked for in the background. */
const pollMs = { hour: samplePollMs, day: 60_000 } as const

/** The usage of an object over the last hour or day, kept up to date while it is shown. */
export function useUsage(of: UsageOf, range: UsageRange) {
  const ask = askFor(of, range)
  return useQuery({
    ...ask,
    // The chart of the other time range stays until the new one arrives; that of another object does not.
    placeholderData: (old: Usage | undefined, query) =>
      query && hashKey(query.queryKey.slice(0, 2)) === hashKey(ask.queryKey.slice(0, 2)) ? old : undefined,
    refetchInterval: pollMs[range],
  })
}

function askFor(of: UsageOf, range: UsageRange) {
  const projectId = of.project
  const query = { range }
  const queryOf = (
    id: 'vm.usage' | 'vmPool.usage' | 'vmSet.usage' | 'usage.ofProject',
    ownId: string,
    ask: (signal: AbortSignal) => Promise<Usage>,
  ) => ({
    queryKey: [...keyOf(id, { projectId, ownId }), range],
    queryFn: ({ signal }: { signal: AbortSignal }) => ask(signal),
  })
  if ('vm' in of) {
    const params = { projectId, vmId: of.vm }
    return queryOf('vm.usage', of.vm, (signal) => call('vm.usage', { params, query, signal }))
  }
  if ('pool' in of) {
    const params = { projectId, poolId: of.pool }
    return queryOf('vmPool.usage', of.pool, (signal) => call('vmPool.usage', { params, query, signal }))
  }
  if ('set' in of) {
    const params = { projectId, setId: of.set }
    return queryOf('vmSet.usage', of.set, (signal) => call('vmSet.usage', { params, query, signal }))
  }
  return queryOf('usage.ofProject', '', (signal) =>
    call('usage.ofProject', { params: { projectId }, query, signal }),
  )
}
