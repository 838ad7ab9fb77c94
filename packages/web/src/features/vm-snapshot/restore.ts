import {
  hasDisksOfThen,
  snapshotCan,
  type Vm,
  type VmSnapshot,
  vmCan,
  vmSnapshotTexts,
} from '@slipway/contract'

type Restorable = Pick<VmSnapshot, 'status' | 'vm_id' | 'has_memory' | 'disks'>
type Target = Pick<Vm, 'id' | 'status' | 'disks'>

/** The disks of a snapshot that its VM does not have any more. */
export function lostDisks(snapshot: Pick<VmSnapshot, 'disks'>, vm: Pick<Vm, 'disks'>): VmSnapshot['disks'] {
  return snapshot.disks.filter(({ disk_id }) => !vm.disks.some((disk) => disk.disk_id === disk_id))
}

/** The disks of a VM that a snapshot does not hold. */
export function addedDisks(snapshot: Pick<VmSnapshot, 'disks'>, vm: Pick<Vm, 'disks'>): Vm['disks'] {
  return vm.disks.filter(({ disk_id }) => !snapshot.disks.some((disk) => disk.disk_id === disk_id))
}

/**
 * Whether a VM can be put back to its snapshot now: `true`, or the sentence that says why not. `vm` is null when it
 * does not exist any more, and undefined while nobody knows; then the server decides.
 */
export function canRestore(snapshot: Restorable, vm: Target | null | undefined): true | string {
  const ready = snapshotCan.restore(snapshot)
  if (ready !== true || vm === undefined) return ready
  if (vm === null) return vmSnapshotTexts.vmGone
  const allowed = vmCan.restore(vm)
  return allowed === true ? hasDisksOfThen(snapshot, vm.disks) : allowed
}

/** Whether VMs can be made of a snapshot now, whose processors and memory are those of its VM: as `canRestore`. */
export function canCreateVms(
  snapshot: Pick<VmSnapshot, 'status'>,
  vm: object | null | undefined,
): true | string {
  const ready = snapshotCan.createVms(snapshot)
  if (ready !== true || vm !== null) return ready
  return vmSnapshotTexts.vmGone
}
