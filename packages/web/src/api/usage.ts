import type { Usage, VmUsage } from '@slipway/contract'
import { hashKey, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

export type UsageRange = 'hour' | 'day'

/** Whose usage to load. */
export type UsageOf =
  | { project: string }
  | { project: string; vm: string }
  | { project: string; pool: string }
  | { project: string; set: string }

/** A new sample comes every ten seconds; in the view of a day every five minutes. Not asked for in the background. */
const pollMs = { hour: 10_000, day: 60_000 } as const

/** What something used over the last hour or day, kept fresh while it is shown. */
export function useUsage(of: UsageOf, range: UsageRange) {
  const ask = askFor(of, range)
  return useQuery({
    ...ask,
    // The drawing of the other span stays until the new one is there; that of something else does not.
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

const nowOf = (projectId: string) => ({
  queryKey: keyOf('usage.ofVms', { projectId }),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const usages = asList(await call('usage.ofVms', { params: { projectId }, signal }))
    return new Map(usages.map((usage) => [usage.vm_id, usage]))
  },
  // All of it is new every time, and of a thousand VMs comparing it takes longer than drawing those in sight.
  structuralSharing: false,
})

/** Keeps what each VM of a project uses now fresh: once for a list, whatever its length. */
export function useVmUsagePoll(projectId: string | undefined): void {
  useQuery({
    ...nowOf(projectId ?? ''),
    enabled: projectId !== undefined,
    refetchInterval: pollMs.hour,
    notifyOnChangeProps: [],
  })
}

/** The current usage of one VM; undefined when it was not measured. The list keeps it up to date. */
export function useVmUsageNow(projectId: string, vmId: string): VmUsage | undefined {
  return useQuery({
    ...nowOf(projectId),
    select: (usages) => usages.get(vmId),
    staleTime: Number.POSITIVE_INFINITY,
  }).data
}

/** The average CPU load of some VMs in percent; null while none of them was measured. */
export function useMeanCpuNow(projectId: string, vms: readonly { id: string }[]): number | null {
  const { data } = useQuery({
    ...nowOf(projectId),
    select: (usages) => vms.flatMap(({ id }) => usages.get(id)?.cpu.at(-1) ?? []),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data && data.length > 0 ? data.reduce((sum, cpu) => sum + cpu, 0) / data.length : null
}
