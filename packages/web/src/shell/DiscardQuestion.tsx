import { ConfirmDialog } from '../ui/Dialog.tsx'
import type { LeaveQuestion } from './unsaved.ts'

interface DiscardQuestionProps {
  question: LeaveQuestion | null
  onAnswered: () => void
}

/** Asks before input is lost. */
export function DiscardQuestion({ question, onAnswered }: DiscardQuestionProps) {
  const answer = (which: keyof LeaveQuestion) => {
    onAnswered()
    question?.[which]()
  }
  return (
    <ConfirmDialog
      open={question !== null}
      onOpenChange={() => answer('keep')}
      title="Discard what you entered?"
      confirmLabel="Discard"
      cancelLabel="Keep Editing"
      busyLabel="Discarding..."
      busy={false}
      onConfirm={() => answer('discard')}
    >
      What you entered in this form has not been saved.
    </ConfirmDialog>
  )
}
