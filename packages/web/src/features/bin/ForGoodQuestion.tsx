import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'

interface ForGoodQuestionProps {
  /** What it is, such as `disk`. */
  noun: string
  name: string
  /** What goes with it, after its name; empty: nothing. */
  along: string
  /** The call, where not every member of a project may make it. */
  call?: 'bin.delete'
  act: () => Promise<unknown>
  onClose: () => void
}

/** Before something in a bin is deleted for good. */
export function ForGoodQuestion({ noun, name, along, call, act, onClose }: ForGoodQuestionProps) {
  const confirm = useConfirmedAct({
    ...(call && { call }),
    act,
    done: `Deleted ${noun} "${name}" for good`,
    failed: `Failed to delete the ${noun}. Please try again.`,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete for good"
      confirmLabel="Delete for good"
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      {...confirm}
    >
      Delete {noun} "
      <b>
        <bdi>{name}</bdi>
      </b>
      "{along} for good? This action cannot be undone.
    </ConfirmDialog>
  )
}
