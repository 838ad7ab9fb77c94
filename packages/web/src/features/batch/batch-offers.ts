/** What can be done with selected objects of each kind. */
import {
  type BatchAction,
  type BatchObject,
  batchObjectCount,
  diskCan,
  snapshotCan,
  vmCan,
} from '@slipway/contract'

/** An object of a list, as far as it matters here. */
export interface Selectable {
  id: string
  name: string
  status: string
  vm_id?: string | null
  delete_protection?: boolean
  persistent?: boolean
  vmpool_id?: string | null
  vmset_id?: string | null
}

interface Offer {
  action: BatchAction
  label: string
  /** What the contract says of one object. */
  allowed: (object: Selectable) => true | string
}

const remove = 'Delete'
const snapshot = 'Snapshot'

export const offersOf: Readonly<Record<BatchObject, readonly Offer[]>> = {
  vm: [
    { action: 'vm.start', label: 'Start', allowed: vmCan.start },
    { action: 'vm.stop', label: 'Stop', allowed: vmCan.stop },
    { action: 'vmSnapshot.create', label: snapshot, allowed: vmCan.snapshot },
    { action: 'vm.update', label: 'Tags', allowed: () => true },
    {
      action: 'vm.delete',
      label: remove,
      allowed: ({ delete_protection = false }) => vmCan.remove({ delete_protection }),
    },
  ],
  disk: [
    {
      action: 'diskSnapshot.create',
      label: snapshot,
      allowed: ({ status, vm_id = null }) => diskCan.snapshot({ status, vm_id }),
    },
    {
      action: 'disk.delete',
      label: remove,
      allowed: ({ status, vm_id = null }) => diskCan.delete({ status, vm_id }),
    },
  ],
  vm_snapshot: [{ action: 'vmSnapshot.delete', label: remove, allowed: snapshotCan.delete }],
  disk_snapshot: [{ action: 'diskSnapshot.delete', label: remove, allowed: snapshotCan.delete }],
  vm_pool: [{ action: 'vmPool.delete', label: remove, allowed: () => true }],
  vm_set: [{ action: 'vmSet.delete', label: remove, allowed: () => true }],
}

/** The selected objects that an offer is open to; where that is none, the sentence that says why. */
export function takenBy({ action, allowed }: Offer, selected: readonly Selectable[]) {
  const verdicts = selected.map((object) => ({ object, verdict: allowed(object) }))
  const taken = verdicts.flatMap(({ object, verdict }) => (verdict === true ? [object] : []))
  const first = verdicts.find(({ verdict }) => verdict !== true)?.verdict
  if (taken.length > 0) return { taken, reason: undefined }
  const none = selected.length === 0 ? `Select ${batchObjectCount(action, 2).replace('2 ', '')} first` : first
  return { taken, reason: typeof none === 'string' ? none : undefined }
}
