import { cancelConsequence, type Operation, operationTitle, type ProjectEndpointId } from '@slipway/contract'
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

/** Asks before an operation of a project is cancelled. */
export function CancelDialog({ projectId, operation, onClose }: CancelDialogProps) {
  const { mutateAsync } = useCancelOperation(projectId)
  return (
    <CancelQuestion operation={operation} call="operation.cancel" cancel={mutateAsync} onClose={onClose} />
  )
}

/** Asks before an operation is cancelled, and says what is lost; `call` is the one that a role has to permit. */
export function CancelQuestion({
  operation,
  call,
  cancel,
  onClose,
}: {
  operation: CancelDialogProps['operation']
  call?: ProjectEndpointId
  cancel: (operationId: string) => Promise<unknown>
  onClose: () => void
}) {
  const title = operationTitle(operation)
  const confirm = useConfirmedAct({
    ...(call && { call }),
    act: () => cancel(operation.id),
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
