import { cancelConsequence, type Operation, operationTitle } from '@slipway/contract'
import { useCancelOperation } from '../../api/operations.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'

/** The dialog before an operation is cancelled, by its name in the URL; `of` is the id of the object it works on. */
export const cancelDialog = 'cancel-operation'

interface CancelDialogProps {
  projectId: string
  operation: Pick<Operation, 'id' | 'action' | 'object'>
  onClose: CloseDialog
}

/** Asks before an operation is cancelled, and says what is lost. */
export function CancelDialog({ projectId, operation, onClose }: CancelDialogProps) {
  const { mutateAsync } = useCancelOperation(projectId)
  const title = operationTitle(operation)
  const confirm = useConfirmedAct({
    call: 'operation.cancel',
    act: () => mutateAsync(operation.id),
    done: `${title} "${operation.object.name}" was cancelled`,
    failed: 'Failed to cancel the operation. Please try again.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Cancel operation"
      confirmLabel="Cancel operation"
      cancelLabel="Keep running"
      busyLabel="Cancelling..."
      // What opened the dialog goes with what it cancels.
      focusAfter={pageHeading}
      {...confirm}
    >
      <p>
        {title} "<b>{operation.object.name}</b>": stop it now?
      </p>
      <p className="mt-2">{cancelConsequence(operation)}</p>
    </ConfirmDialog>
  )
}
