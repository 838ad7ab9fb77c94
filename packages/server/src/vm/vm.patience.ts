/**
 * How long VMs have been in their status, by a clock that nobody can set: a wall clock that jumps must not end the
 * start of a VM. A new process begins to count anew; nothing is ended for the time in which no server looked.
 */
import type { Clock } from '../lib/clock.ts'
import { deadlineMs } from './vm.plan.ts'
import type { VmRecord } from './vm.state.ts'

type InStatus = Pick<VmRecord, 'id' | 'status' | 'statusSince'>

export interface Patience {
  /** The time to judge a VM's deadline by, in milliseconds since the epoch of its `statusSince`. */
  nowFor: (vm: InStatus) => number
  /** When the time of its status began to count, by the wall clock, so that people are told the deadline that holds. */
  since: (vm: InStatus) => number
  /** The VM has been removed. */
  forget: (vmId: string) => void
}

/** So much the wall clock and the count may differ before the wall clock has jumped, or the status is an old one. */
const slackMs = 5_000

export function makePatience(clock: Pick<Clock, 'now' | 'monotonic'>): Patience {
  /** When this process first saw a VM in a status that began at `statusSince`. */
  const seen = new Map<string, { statusSince: number; at: number }>()

  function firstSeen({ id, statusSince }: InStatus) {
    const known = seen.get(id)
    if (known?.statusSince === statusSince) return known
    const first = { statusSince, at: clock.monotonic() }
    seen.set(id, first)
    return first
  }

  return {
    nowFor(vm) {
      if (deadlineMs[vm.status] === null) {
        seen.delete(vm.id)
        return clock.now()
      }
      return vm.statusSince + clock.monotonic() - firstSeen(vm).at
    },
    since(vm) {
      if (deadlineMs[vm.status] === null) return vm.statusSince
      const counted = clock.now() - (clock.monotonic() - firstSeen(vm).at)
      return Math.abs(counted - vm.statusSince) < slackMs ? vm.statusSince : counted
    },
    forget: (vmId) => void seen.delete(vmId),
  }
}
