import { storageGoesToBin } from '@slipway/contract'
import { type ReactNode, useState } from 'react'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { BinChoice } from '../bin/BinChoice.tsx'
import { tellDeleted } from '../bin/tell-deleted.ts'

/** Written out, as the specifications have them. */
const texts = {
  vm: {
    title: 'Delete Snapshot',
    noun: 'snapshot',
    failed: 'Failed to delete snapshot. Please try again.',
  },
  disk: {
    title: 'Delete Disk Snapshot',
    noun: 'disk snapshot',
    failed: 'Failed to delete disk snapshot. Please try again.',
  },
}

interface DeleteSnapshotDialogProps {
  snapshot: { id: string; project_id: string; name: string; status: string }
  /** What it is a snapshot of. */
  of: keyof typeof texts
  act: (forGood: boolean) => Promise<unknown>
  done: string
  onClose: () => void
  onDeleted: () => void
  /** What follows for others. */
  children?: ReactNode
}

/** Asks before a snapshot is deleted, of a VM or a disk. */
export function DeleteSnapshotDialog({
  snapshot,
  of,
  act,
  done,
  onClose,
  onDeleted,
  children,
}: DeleteSnapshotDialogProps) {
  const { title, noun, failed } = texts[of]
  const { name } = snapshot
  const [forGood, setForGood] = useState(false)
  const confirmed = useConfirmedAct({
    call: of === 'disk' ? 'diskSnapshot.delete' : 'vmSnapshot.delete',
    act: () => act(forGood),
    failed,
    onDone() {
      onDeleted()
      void tellDeleted({ kind: `${of}_snapshot`, ...snapshot }, done, forGood)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={title}
      confirmLabel={title}
      busyLabel="Deleting..."
      choice={
        <BinChoice
          kind={`${of}_snapshot`}
          of={{ projectId: snapshot.project_id, ids: [snapshot.id] }}
          goesToBin={storageGoesToBin(snapshot)}
          forGood={forGood}
          onChange={setForGood}
        />
      }
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
