import type { Vm } from '@slipway/contract'

const recentCount = 6

/** The newest VMs, newest first. */
export function recentVms<V extends Pick<Vm, 'created_at'>>(vms: readonly V[]): V[] {
  return vms.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, recentCount)
}

/** VMs that wait for somebody to do something, the latest trouble first. */
export function needsAttention<V extends Pick<Vm, 'status' | 'status_since'>>(vms: readonly V[]): V[] {
  return vms
    .filter(({ status }) => status === 'failed' || status === 'error')
    .sort((a, b) => b.status_since.localeCompare(a.status_since))
}
