import { type Vm, type VmSnapshot, vmSnapshotTexts } from '@slipway/contract'
import { errorDetail } from '../../api/errors.ts'
import { useDeleteVmSnapshot, useRestoreVm } from '../../api/vm-snapshots.ts'
import { formatDateTime } from '../../time.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { addedDisks, lostDisks } from './restore.ts'

interface RestoreDialogProps {
  snapshot: VmSnapshot
  /** The VM as it is now, where that is known. */
  vm: Vm | null | undefined
  onClose: () => void
}

export function RestoreDialog({ snapshot, vm, onClose }: RestoreDialogProps) {
  const restore = useRestoreVm()
  // By the promise: callbacks of `mutate` are lost when the card scrolls away before the answer is there.
  const run = () =>
    void restore
      .mutateAsync(snapshot)
      .then(
        () => toast.success(vmSnapshotTexts.restoring),
        (error) => toast.error('Failed to restore VM. Please try again.', { detail: errorDetail(error) }),
      )
      .finally(onClose)
  const moment = formatDateTime(snapshot.created_at)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Restore VM"
      confirmLabel="Restore VM"
      busyLabel="Restoring..."
      busy={restore.isPending}
      onConfirm={run}
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
          ? `The guest goes on from ${moment}, with everything that ran in it.`
          : `Its disks become what they were on ${moment}${vm?.status === 'running' ? ', and it starts anew' : ''}.`}{' '}
        What is on its disks now is kept for a day as an automatic snapshot.
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
          Disk "<bdi>{name}</bdi>" of this snapshot is no longer attached to the VM and stays as it is.
        </li>
      ))}
      {addedDisks(snapshot, vm).map(({ disk_id, name }) => (
        <li key={disk_id}>
          Disk "<bdi>{name}</bdi>" is not in this snapshot and stays as it is.
        </li>
      ))}
      {!vm.persistent && (
        <li>Its persistent storage is off: the root disk is lost again when the VM stops or restarts.</li>
      )}
    </ul>
  )
}

export function DeleteSnapshotDialog({ snapshot, onClose }: { snapshot: VmSnapshot; onClose: () => void }) {
  const removal = useDeleteVmSnapshot()
  const run = () =>
    void removal
      .mutateAsync(snapshot)
      .then(
        () => toast.success('Snapshot deleted successfully'),
        (error) =>
          toast.error('Failed to delete snapshot. Please try again.', { detail: errorDetail(error) }),
      )
      .finally(onClose)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Snapshot"
      confirmLabel="Delete Snapshot"
      busyLabel="Deleting..."
      busy={removal.isPending}
      onConfirm={run}
      focusAfter={() => document.getElementById('main')}
    >
      <p>
        Are you sure you want to delete snapshot "
        <b>
          <bdi>{snapshot.name}</bdi>
        </b>
        "? Disks made from it are kept. This action cannot be undone.
      </p>
      {snapshot.automatic && (
        <p className="mt-2">It is what lets you undo the restore that was made right after it.</p>
      )}
    </ConfirmDialog>
  )
}
