import { type Operation, operationTitle } from '@slipway/contract'
import { useMay } from '../../api/access.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { cancelDialog } from './CancelDialog.tsx'

/** Cancels an operation, after the question that the page asks. */
export function CancelButton({ operation }: { operation: Pick<Operation, 'id' | 'action' | 'object'> }) {
  const openDialog = useOpenDialog()
  const may = useMay()
  return (
    <Button
      size="sm"
      className="phone:h-10"
      aria-haspopup="dialog"
      disabledReason={reasonOf(may('operation.cancel'))}
      aria-label={`Cancel: ${operationTitle(operation)} ${operation.object.name}`}
      onClick={() => openDialog(cancelDialog, operation.id)}
    >
      Cancel
    </Button>
  )
}
