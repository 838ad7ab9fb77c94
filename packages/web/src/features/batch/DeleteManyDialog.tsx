import { type BatchAction, batchTitle, storageGoesToBin, vmGoesToBin } from '@slipway/contract'
import { type ReactNode, useState } from 'react'
import { newKey } from '../../api/client.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { BinChoice } from '../bin/BinChoice.tsx'
import type { Selectable } from './batch-offers.ts'
import { type Along, useGoesAlong } from './goes-along.ts'
import { useGoesWithGroups } from './goes-with-groups.ts'
import { Names } from './Names.tsx'
import type { QuestionProps } from './question-props.ts'

type Deletion = Extract<BatchAction, `${string}.delete`>

interface DeleteManyProps extends QuestionProps {
  action: Deletion
  goesToBin?: (object: Selectable) => boolean
  /** What else is deleted; nothing is deleted before that is known. */
  along?: Along
  /** Between the question and what else is deleted. */
  children?: ReactNode
}

/** Before many objects are deleted: which, and what goes along. */
export function DeleteManyDialog({
  action,
  projectId,
  objects,
  send,
  onClose,
  goesToBin = storageGoesToBin,
  along,
  children,
}: DeleteManyProps) {
  // One for each request that can be sent: a key stands for one body.
  const [keys] = useState(() => ({ toBin: newKey(), forGood: newKey() }))
  const [forGood, setForGood] = useState(false)
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
          of={{ projectId, ids: objects.map(({ id }) => id) }}
          goesToBin={objects.some(goesToBin)}
          forGood={forGood}
          onChange={setForGood}
        />
      }
      {...confirm}
      disabledReason={confirm.disabledReason ?? (along?.isKnown === false ? along.text : undefined)}
    >
      <p>
        Are you sure you want to delete <Names of={objects} />? This action cannot be undone.
      </p>
      {children}
      {along && (
        <p role="status" className="mt-2">
          {along.text}
        </p>
      )}
    </ConfirmDialog>
  )
}

/** Before many VMs are deleted. */
export function DeleteManyVmsDialog(props: QuestionProps) {
  const along = useGoesAlong(props.projectId, props.objects)
  return <DeleteManyDialog {...props} action="vm.delete" goesToBin={vmGoesToBin} along={along} />
}

/** Before many pools or sets are deleted with their VMs. */
export function DeleteManyGroupsDialog(props: QuestionProps & { action: 'vmPool.delete' | 'vmSet.delete' }) {
  const along = useGoesWithGroups(props.projectId, props.objects)
  return (
    <DeleteManyDialog {...props} goesToBin={() => true} along={along}>
      <p className="mt-2">
        All {props.objects.length === 1 ? 'its' : 'their'} VMs will be deleted, with the disks that were
        created for them. Other disks on them, and all snapshots, are kept.
      </p>
    </DeleteManyDialog>
  )
}
