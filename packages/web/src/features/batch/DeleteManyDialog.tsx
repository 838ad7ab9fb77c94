import { type BatchAction, batchTitle, storageGoesToBin, vmGoesToBin } from '@slipway/contract'
import { useState } from 'react'
import { newKey } from '../../api/client.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { BinChoice } from '../bin/BinChoice.tsx'
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
  // One for each request that can be sent: a key stands for one body.
  const [keys] = useState(() => ({ toBin: newKey(), forGood: newKey() }))
  const [forGood, setForGood] = useState(false)
  const ofVms = action === 'vm.delete'
  const along = useGoesAlong(projectId, ofVms ? objects : [])
  const unknown = ofVms && !along.isKnown ? along.text : undefined
  const confirm = useConfirmedAct({
    call: action,
    act: () =>
      send(
        { action, ids: objects.map(({ id }) => id), ...(forGood && { for_good: true }) },
        forGood ? keys.forGood : keys.toBin,
      ),
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
      choice={
        <BinChoice
          kind="many"
          goesToBin={objects.some(ofVms ? vmGoesToBin : storageGoesToBin)}
          forGood={forGood}
          onChange={setForGood}
        />
      }
      {...confirm}
      disabledReason={confirm.disabledReason ?? unknown}
    >
      Are you sure you want to delete <Names of={objects} />? This action cannot be undone.
      {ofVms && (
        <span role="status" className="mt-2 block">
          {along.text}
        </span>
      )}
    </ConfirmDialog>
  )
}
