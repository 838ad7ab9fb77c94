import { useEffect, useState } from 'react'
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

/** A dialog that holds a form: `Esc`, the scrim and Back ask first when something was typed. */
export function GuardedDialog({ open, onOpenChange, children, ...rest }: DialogProps) {
  const [question, setQuestion] = useState<LeaveQuestion | null>(null)
  const [dialog] = useState<FormDialogHost>(() => ({ ask: setQuestion }))
  useEffect(() => (open ? openFormDialog(dialog) : undefined), [open, dialog])
  return (
    <Dialog
      {...rest}
      open={open}
      onOpenChange={(next) => {
        if (next || !hasUnsavedIn(dialog)) return onOpenChange(next)
        setQuestion({
          keep: () => {},
          discard: () => {
            forgetAllUnsaved(dialog)
            onOpenChange(false)
          },
        })
      }}
    >
      {children}
      <DiscardQuestion question={question} onAnswered={() => setQuestion(null)} />
    </Dialog>
  )
}
