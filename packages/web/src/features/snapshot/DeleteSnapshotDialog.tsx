import type { ReactNode } from 'react'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'

interface DeleteSnapshotDialogProps {
  name: string
  kind: 'Snapshot' | 'Disk Snapshot'
  act: () => Promise<unknown>
  done: string
  onClose: () => void
  onDeleted: () => void
  /** What follows for others. */
  children?: ReactNode
}

/** Asks before a snapshot is deleted, of a VM or a disk. */
export function DeleteSnapshotDialog({
  name,
  kind,
  act,
  done,
  onClose,
  onDeleted,
  children,
}: DeleteSnapshotDialogProps) {
  const noun = kind.toLowerCase()
  const confirmed = useConfirmedAct({
    act,
    done,
    failed: `Failed to delete ${noun}. Please try again.`,
    onDone: onDeleted,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={`Delete ${kind}`}
      confirmLabel={`Delete ${kind}`}
      busyLabel="Deleting..."
      {...confirmed}
    >
      <p>
        Are you sure you want to delete {noun} "
        <b>
          <bdi>{name}</bdi>
        </b>
        "? Disks created from it are kept. This action cannot be undone.
      </p>
      {children}
    </ConfirmDialog>
  )
}
