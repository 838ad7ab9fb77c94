import type { Vm } from '@slipway/contract'

/** What of a VM says whether it belongs to a pool or set. */
export type Member = Pick<Vm, 'project_id' | 'vmpool_id' | 'vmset_id'>

export const isMember = (vm: Member): boolean => vm.vmpool_id !== null || vm.vmset_id !== null
