import type { BinItem } from '@slipway/contract'
import { useState } from 'react'
import { useEmptyBin } from '../../api/bin.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { toast } from '../../ui/toast.tsx'
import { contentsText, emptiedText } from './bin-words.ts'

interface EmptyBinDialogProps {
  projectId: string
  items: readonly BinItem[]
  onClose: () => void
}

/** Before everything in the bin of a project is deleted for good: all that is in it, and nothing that comes later. */
export function EmptyBinDialog({ projectId, items, onClose }: EmptyBinDialogProps) {
  // What is counted here is what is deleted, whatever comes into the bin while this is open.
  const [asked] = useState(items)
  const { mutateAsync } = useEmptyBin(projectId)
  const confirm = useConfirmedAct({
    call: 'bin.empty',
    async act() {
      const deleted = await mutateAsync(asked)
      const { text, detail } = emptiedText(asked.length, deleted)
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
      disabledReason={confirm.disabledReason ?? (asked.length === 0 ? 'The bin is empty' : undefined)}
    >
      {asked.length === 0 ? (
        'The bin is empty.'
      ) : (
        <>Delete {contentsText(asked)} in the bin for good? This action cannot be undone.</>
      )}
    </ConfirmDialog>
  )
}
