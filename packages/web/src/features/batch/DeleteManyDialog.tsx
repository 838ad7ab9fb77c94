import { type BatchAction, batchTitle, binDaysText } from '@slipway/contract'
import { useState } from 'react'
import { newKey } from '../../api/client.ts'
import { useHost } from '../../api/host.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import type { QuestionProps } from './BatchQuestion.tsx'
import { useGoesAlong } from './goes-along.ts'
import { Names } from './Names.tsx'

type Deletion = Extract<BatchAction, `${string}.delete`>

/** Before many objects are deleted: which, and what goes along. */
export function DeleteManyDialog({
  projectId,
  action,
  objects,
  send,
  onClose,
}: QuestionProps & { action: Deletion }) {
  const [key] = useState(newKey)
  const days = useHost()?.bin_days ?? 0
  const ofVms = action === 'vm.delete'
  const along = useGoesAlong(projectId, ofVms ? objects : [])
  const unknown = ofVms && !along.isKnown ? along.text : undefined
  const confirm = useConfirmedAct({
    call: action,
    act: () => send({ action, ids: objects.map(({ id }) => id) }, key),
    failed: 'Failed to send the request. Please try again.',
    onDone: onClose,
  })
  const title = batchTitle(action, objects.length)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmLabel={title}
      busyLabel="Sending..."
      focusAfter={pageHeading}
      {...confirm}
      disabledReason={confirm.disabledReason ?? unknown}
    >
      Are you sure you want to delete <Names of={objects} />? This action cannot be undone.
      {days > 0 && (
        <span className="mt-2 block">
          They are kept in the bin for {binDaysText(days)}, and can be restored from there.
        </span>
      )}
      {ofVms && (
        <span role="status" className="mt-2 block">
          {along.text}
        </span>
      )}
    </ConfirmDialog>
  )
}
