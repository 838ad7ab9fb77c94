/**
 * How long VMs have been in their status, by a clock that nobody can set: a wall clock that jumps must not end the
 * start of a VM. A new process begins to count anew; nothing is ended for the time in which no server looked.
 */
import type { Clock } from '../lib/clock.ts'
import { deadlineMs } from './vm.plan.ts'
import type { VmRecord } from './vm.state.ts'

export interface Patience {
  /** The time to judge a VM's deadline by, in milliseconds since the epoch of its `statusSince`. */
  nowFor: (vm: Pick<VmRecord, 'id' | 'status' | 'statusSince'>) => number
  /** The VM has been removed. */
  forget: (vmId: string) => void
}

export function makePatience(clock: Pick<Clock, 'now' | 'monotonic'>): Patience {
  /** When this process first saw a VM in a status that began at `statusSince`. */
  const seen = new Map<string, { statusSince: number; at: number }>()
  return {
    nowFor({ id, status, statusSince }) {
      if (deadlineMs[status] === null) {
        seen.delete(id)
        return clock.now()
      }
      const known = seen.get(id)
      const first = known?.statusSince === statusSince ? known : { statusSince, at: clock.monotonic() }
      seen.set(id, first)
      return statusSince + clock.monotonic() - first.at
    },
    forget: (vmId) => void seen.delete(vmId),
  }
}
