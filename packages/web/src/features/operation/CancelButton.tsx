import { type Operation, operationTitle } from '@slipway/contract'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { cancelDialog } from './CancelDialog.tsx'

/** Cancels an operation, after the question that the page asks. */
export function CancelButton({ operation }: { operation: Pick<Operation, 'id' | 'action' | 'object'> }) {
  const openDialog = useOpenDialog()
  return (
    <Button
      size="sm"
      className="phone:h-10"
      aria-haspopup="dialog"
      aria-label={`Cancel: ${operationTitle(operation)} ${operation.object.name}`}
      onClick={() => openDialog(cancelDialog, operation.id)}
    >
      Cancel
    </Button>
  )
}
