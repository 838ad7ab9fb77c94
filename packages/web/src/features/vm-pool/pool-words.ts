import type { ScalingPolicy, VmPool } from '@slipway/contract'

/** `2 VMs to come`, `1 VM to go`; null when the pool has as many as it wants. */
export function differenceText({
  current_size,
  desired_size,
}: Pick<VmPool, 'current_size' | 'desired_size'>): string | null {
  const difference = desired_size - current_size
  if (difference === 0) return null
  const count = Math.abs(difference)
  return `${count} ${count === 1 ? 'VM' : 'VMs'} to ${difference > 0 ? 'come' : 'go'}`
}

/** When the autoscaler acts, in words. */
export function policyText(policy: ScalingPolicy, pool: Pick<VmPool, 'min_size' | 'max_size'>): string {
  const { sample_every_s, up_above, up_after_s, down_below, down_after_s, pause_s } = policy
  return [
    `Adds a VM when the mean CPU load stays above ${up_above}% for ${durationText(up_after_s)}, and removes one when it stays below ${down_below}% for ${durationText(down_after_s)}.`,
    `It looks every ${durationText(sample_every_s)}, waits ${durationText(pause_s)} after a step, and never leaves ${Math.max(1, pool.min_size)} to ${pool.max_size} VMs.`,
  ].join(' ')
}

function durationText(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
