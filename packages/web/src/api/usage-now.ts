import type { VmUsage } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

/** A new sample comes every ten seconds. */
export const samplePollMs = 10_000

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
    refetchInterval: samplePollMs,
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
