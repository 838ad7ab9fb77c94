import type { GroupSample } from '@slipway/contract'

/** Where the scale of a size has its lines: from 0 on, at most five of them, the last at or above `highest`. */
export function sizeTicks(highest: number): number[] {
  const step = stepFor(Math.max(1, highest) / 4)
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, i) => i * step)
}

/** The smallest of 1, 2, 5, 10, 20, 50 and so on that is not below. */
function stepFor(least: number): number {
  for (let decade = 1; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (factor * decade >= least) return factor * decade
  }
}

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

/** How hard the members work now: `82%`; `Unknown` where nobody could tell. */
export function loadText(samples: readonly Pick<GroupSample, 'cpu'>[] | undefined): string {
  const load = samples?.at(-1)?.cpu ?? null
  return load === null ? 'Unknown' : `${Math.round(load)}%`
}
