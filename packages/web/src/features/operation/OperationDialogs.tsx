import type { Operation } from '@slipway/contract'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { CancelDialog, cancelDialog } from './CancelDialog.tsx'

interface OperationDialogsProps {
  projectId: string
  operations: readonly Operation[]
  /** Whether it is not known which there are: they load, or failed to. */
  loading: boolean
}

/** What is asked before an operation is cancelled: once on the page that shows some. */
export function OperationDialogs({ projectId, operations, loading }: OperationDialogsProps) {
  return (
    <ObjectDialogs
      objects={operations}
      loading={loading}
      gone="The operation has already ended."
      dialogs={{
        [cancelDialog]: (operation, close) => (
          <CancelDialog projectId={projectId} operation={operation} onClose={close} />
        ),
      }}
    />
  )
}
