import { useState } from 'react'
import type { AlertDialogProps, ConfirmDialogProps, DialogProps } from './DialogPopup.tsx'
import { later } from './later.tsx'

const ways = {
  isOpen: ({ open }: Pick<DialogProps, 'open'>) => open,
  close: ({ onOpenChange }: Pick<DialogProps, 'onOpenChange'>) => onOpenChange(false),
}
// What a dialog is made of comes when the first one opens: no page needs it to be shown.
const DialogPopup = later(async () => (await import('./DialogPopup.tsx')).DialogPopup, ways)
const ConfirmDialogPopup = later(async () => (await import('./DialogPopup.tsx')).ConfirmDialogPopup, ways)
const AlertDialogPopup = later(async () => (await import('./DialogPopup.tsx')).AlertDialogPopup, {
  isOpen: ({ open }) => open,
  close: ({ onClose }) => onClose(),
})

/** A modal dialog. `Esc`, the scrim and the footer close it; the focus goes back to where it came from. */
export function Dialog(props: DialogProps) {
  return useWasOpen(props.open) ? <DialogPopup {...props} /> : null
}

/** Asks before an act. The focus starts on Cancel; while the act runs the dialog stays. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return useWasOpen(props.open) ? <ConfirmDialogPopup {...props} /> : null
}

/** Says one thing and waits for OK: where the specifications have a browser's alert (catalogue G-040). */
export function AlertDialog(props: AlertDialogProps) {
  return useWasOpen(props.open) ? <AlertDialogPopup {...props} /> : null
}

/** True from the first opening on: a dialog that closes stays in the tree, so that it can fade. */
function useWasOpen(open: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  return wasOpen || open
}
