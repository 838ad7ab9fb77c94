import { type Vm, type VmSnapshot, vmCan } from '@slipway/contract'
import { Undo2 } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { SnapshotItems } from '../snapshot/SnapshotItems.tsx'
import { canRestore } from './restore.ts'
import { VmSnapshotDialogs } from './VmSnapshotDialogs.tsx'
import { vmSnapshotDialogs } from './vm-snapshot-dialogs.ts'

/** The newest snapshots of a VM, on its page, with the way back to each. */
export function VmSnapshots({ vm }: { vm: Vm }) {
  const { snapshots, ...list } = useVmSnapshots(vm.project_id)
  const openDialog = useOpenDialog()
  const may = useMay(vm.project_id)
  const own = useMemo(() => snapshots.filter(({ vm_id }) => vm_id === vm.id).reverse(), [snapshots, vm.id])
  const restore = (snapshot: VmSnapshot) => (
    <IconButton
      size="sm"
      label={`Restore VM from ${snapshot.name}`}
      icon={<Undo2 size={16} strokeWidth={1.6} aria-hidden />}
      disabledReason={reasonOf(may('vmSnapshot.restore')) ?? reasonOf(canRestore(snapshot, vm))}
      onClick={() => openDialog(vmSnapshotDialogs.restore, snapshot.id)}
      className="-mr-1.5"
    />
  )
  return (
    <div className="min-w-0">
      <SnapshotItems
        title="Snapshots"
        snapshots={own}
        list={list}
        none="No snapshots yet. Take one to be able to restore this VM later."
        pathOf={({ project_id, id }) => paths.snapshot(project_id, id)}
        action={restore}
        more={
          own.length > 0 && (
            <Link to={paths.snapshots(vm.project_id, vm.id)} className="link text-hint">
              View all {own.length}
            </Link>
          )
        }
      />
      <Button
        size="sm"
        icon={<objectIcons.vm_snapshot size={14} strokeWidth={1.6} aria-hidden />}
        disabledReason={reasonOf(may('vmSnapshot.create')) ?? reasonOf(vmCan.snapshot(vm))}
        render={<Link to={paths.snapshotCreate(vm.project_id, vm.id)} />}
        className="mt-2 phone:h-10"
      >
        Create Snapshot
      </Button>
      <VmSnapshotDialogs snapshots={own} loading={list.loading || list.error !== null} vmOf={() => vm} />
    </div>
  )
}
