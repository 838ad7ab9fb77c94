import type { GroupSample } from '@slipway/contract'

/** What the line of the size shows, in a sentence. */
export function sizeSummary(samples: readonly Pick<GroupSample, 'current_size' | 'desired_size'>[]): string {
  const sizes = samples.map(({ current_size }) => current_size)
  const now = samples.at(-1)
  if (!now) return 'No sizes are known yet.'
  return `Size over the last hour: from ${Math.min(...sizes)} to ${Math.max(...sizes)} VMs, now ${now.current_size}, desired ${now.desired_size}.`
}

/** What the line of the load shows, in a sentence. */
export function cpuSummary(samples: readonly Pick<GroupSample, 'cpu'>[]): string {
  const loads = samples.flatMap(({ cpu }) => (cpu === null ? [] : [Math.round(cpu)]))
  if (loads.length === 0) return 'No CPU load is known yet.'
  const now = samples.at(-1)?.cpu ?? null
  return `CPU load over the last hour: from ${Math.min(...loads)}% to ${Math.max(...loads)}%, now ${now === null ? 'unknown' : `${Math.round(now)}%`}.`
}

/**
 * How hard the members work now: `82%`. A group is measured less often than its VMs, so until it was, it is what
 * their own cards show; `Unknown` where neither is known.
 */
export function loadText(
  samples: readonly Pick<GroupSample, 'cpu'>[] | undefined,
  membersNow: number | null = null,
): string {
  const load = samples?.at(-1)?.cpu ?? membersNow
  return load === null ? 'Unknown' : `${Math.round(load)}%`
}
