/** How long starts of VMs took here, worked out from what the activity log tells. */

/** An entry of the activity log; its time in milliseconds since the epoch. */
export interface Told {
  action: string
  vmId: string
  at: number
}

/** Somebody asked for a start, and the server accepted it. */
const asked = ['vm.create', 'vm.start']
const ready = 'vm.running'
const suspended = 'vm.suspended'
/** What makes of a start something else. */
const others = [suspended, 'vm.stop', 'vm.restart', 'vm.stopped', 'vm.failed', 'vm.error']

export const tellingActions: readonly string[] = [...asked, ready, ...others]

/** Fewer tell of a few VMs, not of an installation. */
export const startsAtLeast = 5
const startsAtMost = 50

export interface StartTime {
  median_seconds: number
  starts: number
}

/**
 * The median of the last starts, from the accepted request until the VM was ready; null while there are too few. A VM that
 * resumes does not start, and one that failed or was stopped meanwhile took no time that means anything.
 *
 * @param told oldest first
 */
export function medianStart(told: readonly Told[]): StartTime | null {
  const since = new Map<string, number>()
  const sleeping = new Set<string>()
  const spans: number[] = []
  for (const { action, vmId, at } of told) {
    const begun = since.get(vmId)
    since.delete(vmId)
    const slept = sleeping.delete(vmId)
    if (action === suspended) sleeping.add(vmId)
    else if (asked.includes(action) && !slept) since.set(vmId, at)
    // A clock that was set back measures nothing.
    else if (action === ready && begun !== undefined && at >= begun) spans.push(at - begun)
  }
  const last = spans.slice(-startsAtMost).sort((one, other) => one - other)
  if (last.length < startsAtLeast) return null
  const upper = last[last.length >> 1] ?? 0
  const lower = last[(last.length - 1) >> 1] ?? 0
  const seconds = (lower + upper) / 2000
  return { median_seconds: Number(seconds.toFixed(seconds < 10 ? 1 : 0)), starts: last.length }
}
