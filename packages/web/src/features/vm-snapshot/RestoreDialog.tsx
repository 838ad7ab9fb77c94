import { type Vm, type VmSnapshot, vmSnapshotTexts } from '@slipway/contract'
import { useRestoreVm } from '../../api/vm-snapshots.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { formatDateTime } from '../../time.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { addedDisks, lostDisks } from './restore.ts'

interface RestoreDialogProps {
  snapshot: VmSnapshot
  /** The VM as it is now, where that is known. */
  vm: Vm | null | undefined
  onClose: () => void
}

/** Asks before a VM is restored from a snapshot, and says what becomes of each of its disks. */
export function RestoreDialog({ snapshot, vm, onClose }: RestoreDialogProps) {
  const restore = useRestoreVm()
  const confirmed = useConfirmedAct({
    call: 'vmSnapshot.restore',
    act: () => restore.mutateAsync(snapshot),
    done: vmSnapshotTexts.restoring,
    failed: 'Failed to restore VM. Please try again.',
    onDone: onClose,
  })
  const moment = formatDateTime(snapshot.created_at)
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Restore VM"
      confirmLabel="Restore VM"
      busyLabel="Restoring..."
      {...confirmed}
    >
      <p>
        Restore VM "
        <b>
          <bdi>{vm?.name ?? snapshot.vm_name}</bdi>
        </b>
        " from snapshot "
        <b>
          <bdi>{snapshot.name}</bdi>
        </b>
        "? This overwrites the current VM state.
      </p>
      <p className="mt-2">
        {snapshot.has_memory
          ? `The VM continues from ${moment}, with everything that was running.`
          : `The disks return to their content of ${moment}${vm?.status === 'running' ? ', and the VM restarts' : ''}.`}{' '}
        The current content of the disks is kept for a day as an automatic snapshot.
      </p>
      {vm && <RestoreNotes snapshot={snapshot} vm={vm} />}
    </ConfirmDialog>
  )
}

/** Which disks a restore leaves alone, and which it does not bring back for long. */
function RestoreNotes({ snapshot, vm }: { snapshot: VmSnapshot; vm: Vm }) {
  return (
    <ul className="mt-2 empty:hidden">
      {lostDisks(snapshot, vm).map(({ disk_id, name }) => (
        <li key={disk_id}>
          Disk "<bdi>{name}</bdi>" of this snapshot is no longer attached to the VM and is not changed.
        </li>
      ))}
      {addedDisks(snapshot, vm).map(({ disk_id, name }) => (
        <li key={disk_id}>
          Disk "<bdi>{name}</bdi>" is not in this snapshot and is not changed.
        </li>
      ))}
      {!vm.persistent && (
        <li>Persistent storage is off: the root disk is reset when the VM stops or restarts.</li>
      )}
    </ul>
  )
}
