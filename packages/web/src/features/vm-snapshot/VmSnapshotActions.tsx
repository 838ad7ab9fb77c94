import { copiesAllowed, snapshotCan, type Vm, type VmSnapshot } from '@slipway/contract'
import { Trash2, Undo2 } from 'lucide-react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useLimits } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { canCreateVms, canRestore } from './restore.ts'
import { vmSnapshotDialogs } from './vm-snapshot-dialogs.ts'

interface VmSnapshotActionsProps {
  snapshot: VmSnapshot
  vm: Vm | null | undefined
}

/** What can be done with a VM snapshot: the actions that a row and the page have alike. */
function useActions({ snapshot, vm }: VmSnapshotActionsProps) {
  const openDialog = useOpenDialog()
  const may = useMay(snapshot.project_id)
  const copyable = copiesAllowed(useLimits())
  const { id, name, project_id } = snapshot
  return {
    restore: {
      disabledReason: reasonOf(may('vmSnapshot.restore')) ?? reasonOf(canRestore(snapshot, vm)),
      onClick: () => openDialog(vmSnapshotDialogs.restore, id),
    },
    createDisk: {
      disabledReason: reasonOf(may('disk.create')) ?? reasonOf(snapshotCan.createDisk(snapshot)),
      render: (
        <Link
          to={paths.diskFromVmSnapshot(project_id, name, id)}
          aria-label={`Create New Disk from ${name}`}
        />
      ),
    },
    createVms: {
      disabledReason:
        reasonOf(may('vmSnapshot.createVms')) ??
        reasonOf(copyable === true ? canCreateVms(snapshot, vm) : copyable),
      onClick: () => openDialog(vmSnapshotDialogs.createVms, id),
    },
    delete: {
      icon: <Trash2 size={16} strokeWidth={1.6} aria-hidden />,
      disabledReason: reasonOf(may('vmSnapshot.delete')) ?? reasonOf(snapshotCan.delete(snapshot)),
      onClick: () => openDialog(vmSnapshotDialogs.delete, id),
    },
  }
}

/** In a row: two buttons with words upon each other, and two small ones beside them. */
export function VmSnapshotRowActions(props: VmSnapshotActionsProps) {
  const { restore, createDisk, delete: remove } = useActions(props)
  const { id, name } = props.snapshot
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 @min-[960px]:grid @min-[960px]:grid-flow-col @min-[960px]:grid-cols-[8.25rem_auto] @min-[960px]:grid-rows-2 @min-[960px]:gap-1.5 phone:[&_.lucide-hard-drive]:hidden phone:[&_.lucide-undo-2]:hidden">
      <Button
        {...restore}
        size="sm"
        className="phone:h-9"
        icon={<Undo2 size={14} strokeWidth={1.6} aria-hidden />}
        aria-label={`Restore VM from ${name}`}
      >
        Restore VM
      </Button>
      <Button
        {...createDisk}
        size="sm"
        className="phone:h-9"
        icon={<objectIcons.disk size={14} strokeWidth={1.6} aria-hidden />}
        aria-label={`Create New Disk from ${name}`}
      >
        Create New Disk
      </Button>
      <CopyButton
        text={id}
        label={`Copy ID of ${name}`}
        success="Copied to clipboard!"
        failure="Failed to copy to clipboard."
        className="size-7! text-ink-2! phone:size-9!"
      />
      <IconButton {...remove} size="sm" label={`Delete ${name}`} />
    </div>
  )
}

/** On the page of the snapshot. */
export function VmSnapshotPageActions(props: VmSnapshotActionsProps) {
  const { restore, createVms, createDisk, delete: remove } = useActions(props)
  return (
    <>
      <Button {...restore} icon={<Undo2 size={16} strokeWidth={1.6} aria-hidden />}>
        Restore VM
      </Button>
      <Button {...createVms} icon={<objectIcons.vm size={16} strokeWidth={1.6} aria-hidden />}>
        New VM
      </Button>
      <Button {...createDisk} icon={<objectIcons.disk size={16} strokeWidth={1.6} aria-hidden />}>
        Create New Disk
      </Button>
      <Button {...remove}>Delete</Button>
    </>
  )
}
