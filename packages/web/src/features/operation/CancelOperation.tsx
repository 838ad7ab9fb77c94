import { cancelConsequence, type Operation, operationTitle } from '@slipway/contract'
import { useState } from 'react'
import { errorDetail } from '../../api/errors.ts'
import { useCancelOperation } from '../../api/operations.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.tsx'

/** What is cancelled, as far as the question before it names it. */
type Cancelled = Pick<Operation, 'id' | 'action' | 'object'>

/** A button that cancels an operation, after a question that says what is lost. */
export function CancelOperation({ projectId, operation }: { projectId: string; operation: Cancelled }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        size="sm"
        className="phone:h-10"
        aria-label={`Cancel: ${operationTitle(operation)} ${operation.object.name}`}
        onClick={() => setAsking(true)}
      >
        Cancel
      </Button>
      {asking && (
        <CancelDialog projectId={projectId} operation={operation} onClose={() => setAsking(false)} />
      )}
    </>
  )
}

interface CancelDialogProps {
  projectId: string
  operation: Cancelled
  onClose: () => void
}

function CancelDialog({ projectId, operation, onClose }: CancelDialogProps) {
  const cancel = useCancelOperation(projectId)
  const title = operationTitle(operation)
  const run = async () => {
    try {
      await cancel.mutateAsync(operation.id)
      toast.success(`${title} "${operation.object.name}" was cancelled`)
      // What opened the dialog is gone as well.
      document.getElementById('main')?.focus({ preventScroll: true })
    } catch (error) {
      toast.error('Failed to cancel the operation. Please try again.', { detail: errorDetail(error) })
    }
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Cancel operation"
      confirmLabel="Cancel operation"
      cancelLabel="Keep running"
      busyLabel="Cancelling..."
      busy={cancel.isPending}
      onConfirm={() => void run()}
    >
      <p>
        {title} "<b>{operation.object.name}</b>": stop it now?
      </p>
      <p className="mt-2">{cancelConsequence(operation)}</p>
    </ConfirmDialog>
  )
}
