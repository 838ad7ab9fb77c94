import type { ProjectEndpointId } from '@slipway/contract'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { toast } from '../../ui/toast.tsx'

interface EmptyBinQuestionProps {
  /** What is deleted, counted; empty: nothing. */
  contents: string
  /** The call, where not every member of a project may make it. */
  call?: ProjectEndpointId
  /** Deletes what was counted, and says what came of it. */
  act: () => Promise<{ text: string; detail: string | null }>
  onClose: () => void
}

/** Before everything in a bin is deleted for good. */
export function EmptyBinQuestion({ contents, call, act, onClose }: EmptyBinQuestionProps) {
  const confirm = useConfirmedAct({
    ...(call && { call }),
    async act() {
      const { text, detail } = await act()
      toast.success(text, detail === null ? {} : { detail })
    },
    failed: 'Failed to empty the bin. Please try again.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Empty the bin"
      confirmLabel="Empty the bin"
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      {...confirm}
      disabledReason={confirm.disabledReason ?? (contents === '' ? 'The bin is empty' : undefined)}
    >
      {contents === '' ? (
        'The bin is empty.'
      ) : (
        <>Delete {contents} in the bin for good? This action cannot be undone.</>
      )}
    </ConfirmDialog>
  )
}
