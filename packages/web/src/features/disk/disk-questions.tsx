import { canDeleteDiskIn, type Disk, storageGoesToBin } from '@slipway/contract'
import { useState } from 'react'
import { type DiskRef, useDeleteDisk, useDetachDisk } from '../../api/disks.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { BinChoice } from '../bin/BinChoice.tsx'
import { tellDeleted } from '../bin/tell-deleted.ts'

interface DetachDialogProps {
  disk: DiskRef & { name: string }
  onClose: () => void
}

/** Asks before a disk is detached from its VM. A running guest has ten seconds to release it. */
export function DetachDialog({ disk, onClose }: DetachDialogProps) {
  const detach = useDetachDisk()
  const confirmed = useConfirmedAct({
    call: 'disk.detach',
    act: () => detach.mutateAsync(disk),
    done: `Disk "${disk.name}" detached successfully`,
    failed: 'Failed to detach disk. Please try again.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Detach disk"
      tone="normal"
      confirmLabel="Detach"
      busyLabel="Detaching..."
      {...confirmed}
    >
      <p>
        Detach disk "<b>{disk.name}</b>" from its VM?
      </p>
      <p className="mt-2">
        Unmount the disk in the VM first, so that all data is written. The data on the disk is kept.
      </p>
    </ConfirmDialog>
  )
}

interface DeleteDiskDialogProps {
  disk: Disk
  onClose: () => void
  onDeleted: () => void
}

/** Asks before a disk is deleted. */
export function DeleteDiskDialog({ disk, onClose, onDeleted }: DeleteDiskDialogProps) {
  const { project } = useSelectedProject()
  const removal = useDeleteDisk()
  const [forGood, setForGood] = useState(false)
  const confirmed = useConfirmedAct({
    call: 'disk.delete',
    allowed: canDeleteDiskIn(project),
    act: () => removal.mutateAsync({ disk, forGood }),
    failed: 'Failed to delete disk. Please try again.',
    onDone() {
      onDeleted()
      void tellDeleted({ kind: 'disk', ...disk }, `Disk "${disk.name}" deleted successfully`, forGood)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete disk"
      confirmLabel="Delete"
      busyLabel="Deleting..."
      choice={
        <BinChoice
          kind="disk"
          of={{ projectId: disk.project_id, ids: [disk.id] }}
          goesToBin={storageGoesToBin(disk)}
          forGood={forGood}
          onChange={setForGood}
        />
      }
      {...confirmed}
    >
      Are you sure you want to delete disk "<b>{disk.name}</b>"? Snapshots of it are kept. This action cannot
      be undone.
    </ConfirmDialog>
  )
}
