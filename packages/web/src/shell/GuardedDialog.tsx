import { type ReactNode, useEffect, useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import type { DialogProps } from '../ui/DialogPopup.tsx'
import { DiscardQuestion } from './DiscardQuestion.tsx'
import {
  type FormDialogHost,
  forgetAllUnsaved,
  hasUnsavedIn,
  type LeaveQuestion,
  openFormDialog,
} from './unsaved.ts'

/** The ways out of a dialog with a form, for its buttons. */
interface WaysOut {
  /** Closes the dialog, and asks first when there is unsaved input. */
  ask: () => void
  /** Closes the dialog without a question, however long closing takes: the button says what happens. */
  discard: () => void
}

interface GuardedDialogProps extends Omit<DialogProps, 'footer'> {
  footer?: (out: WaysOut) => ReactNode
}

/** A dialog with a form: `Esc`, the scrim and Back ask first when there is unsaved input. */
export function GuardedDialog({ open, onOpenChange, footer, children, ...rest }: GuardedDialogProps) {
  const [question, setQuestion] = useState<LeaveQuestion | null>(null)
  const [dialog] = useState<FormDialogHost>(() => ({ ask: setQuestion }))
  useEffect(() => (open ? openFormDialog(dialog) : undefined), [open, dialog])
  const discard = () => {
    forgetAllUnsaved(dialog)
    onOpenChange(false)
  }
  const ask = () => {
    if (hasUnsavedIn(dialog)) setQuestion({ keep: () => {}, discard })
    else onOpenChange(false)
  }
  return (
    <Dialog
      {...rest}
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : ask())}
      footer={footer?.({ ask, discard })}
    >
      {children}
      <DiscardQuestion question={question} onAnswered={() => setQuestion(null)} />
    </Dialog>
  )
}
