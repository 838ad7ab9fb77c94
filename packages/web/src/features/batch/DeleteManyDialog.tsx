import { type BatchAction, batchTitle } from '@slipway/contract'
import { useState } from 'react'
import { newKey } from '../../api/client.ts'
import { useDisks } from '../../api/disks.ts'
import { useShares } from '../../api/shares.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import type { QuestionProps } from './BatchQuestion.tsx'
import type { Selectable } from './batch-offers.ts'
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
      {ofVms && (
        <span role="status" className="mt-2 block">
          {along.text}
        </span>
      )}
    </ConfirmDialog>
  )
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** What is deleted with VMs, and what is kept, as the server says: a sentence, or why it cannot be said. */
function useGoesAlong(projectId: string, vms: readonly Selectable[]): { text: string; isKnown: boolean } {
  const { disks, loading, error } = useDisks(projectId)
  const { shares, ...ofShares } = useShares(projectId)
  if (loading || ofShares.loading) return { text: 'Checking what is deleted along...', isKnown: false }
  if (error || ofShares.error)
    return {
      text: 'What is deleted along could not be loaded. Close this dialog and try again.',
      isKnown: false,
    }
  const ids = new Set(vms.map(({ id }) => id))
  const theirs = disks.filter(({ vm_id }) => vm_id !== null && ids.has(vm_id))
  const along = theirs.filter(({ deleted_with_vm }) => deleted_with_vm).length
  const kept = theirs.length - along
  const ports = shares.filter(({ vm_id }) => ids.has(vm_id)).length
  const deleted = [along > 0 && count(along, 'disk'), ports > 0 && count(ports, 'shared port')].filter(
    Boolean,
  )
  const members = vms.filter(({ vmpool_id, vmset_id }) => vmpool_id || vmset_id).length
  const sentences = [
    deleted.length > 0 && `Deleted along: ${deleted.join(' and ')}.`,
    kept > 0 && `${count(kept, 'attached disk')} ${kept === 1 ? 'is' : 'are'} kept.`,
    'Snapshots of these VMs are kept.',
    members > 0 &&
      `${members} of these VMs ${members === 1 ? 'is' : 'are'} part of pools or sets, which create new VMs in place of them.`,
  ]
  return { text: sentences.filter(Boolean).join(' '), isKnown: true }
}
