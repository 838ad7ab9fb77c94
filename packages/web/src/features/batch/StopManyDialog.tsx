import { batchTitle } from '@slipway/contract'
import { useState } from 'react'
import { newKey } from '../../api/client.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Names } from './Names.tsx'
import type { QuestionProps } from './question-props.ts'

/** Before VMs stop of which something does not outlive that. */
export function StopManyDialog({ objects, send, onClose }: QuestionProps) {
  const [key] = useState(newKey)
  const confirm = useConfirmedAct({
    call: 'vm.stop',
    act: () => send({ action: 'vm.stop', ids: objects.map(({ id }) => id) }, key),
    failed: 'Failed to stop the VMs. Please try again.',
    onDone: onClose,
  })
  const title = batchTitle('vm.stop', objects.length)
  const suspended = objects.filter(({ status }) => status === 'suspended')
  const reset = objects.filter(({ persistent }) => persistent === false)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmLabel={title}
      busyLabel="Sending..."
      {...confirm}
    >
      {suspended.length > 0 && (
        <span className="block">
          The saved memory of <Names of={suspended} /> is discarded: what was not written to a disk is lost.
        </span>
      )}
      {reset.length > 0 && (
        <span className="mt-2 block first:mt-0">
          Persistent storage of <Names of={reset} /> is off: everything on the root disk is lost. Attached
          disks are kept.
        </span>
      )}
    </ConfirmDialog>
  )
}
