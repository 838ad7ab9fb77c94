import type { ReactNode } from 'react'
import { errorDetail } from '../../api/errors.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.tsx'

interface DeleteGroupDialogProps {
  /** Also the label of the button. */
  title: string
  /** The question. */
  children: ReactNode
  texts: { deleted: string; failed: string }
  busy: boolean
  remove: () => Promise<unknown>
  onClose: () => void
  onDeleted?: (() => void) | undefined
}

/** Asks before a pool or set goes with its VMs. */
export function DeleteGroupDialog({
  title,
  children,
  texts,
  busy,
  remove,
  onClose,
  onDeleted,
}: DeleteGroupDialogProps) {
  const run = async () => {
    try {
      await remove()
      toast.success(texts.deleted)
      onDeleted?.()
      // What opened the dialog is gone as well.
      document.getElementById('main')?.focus({ preventScroll: true })
    } catch (error) {
      toast.error(texts.failed, { detail: errorDetail(error) })
    }
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmLabel={title}
      busyLabel="Deleting..."
      busy={busy}
      onConfirm={() => void run()}
    >
      <p>{children}</p>
      <p className="mt-2">
        Disks that were made for its VMs are deleted with them. Other disks on them, and all snapshots, are
        kept.
      </p>
    </ConfirmDialog>
  )
}
