import { useState } from 'react'
import type { AlertDialogProps, ConfirmDialogProps, DialogProps } from './DialogPopup.tsx'
import { later } from './later.tsx'

const ways = {
  isOpen: ({ open }: Pick<DialogProps, 'open'>) => open,
  close: ({ onOpenChange }: Pick<DialogProps, 'onOpenChange'>) => onOpenChange(false),
}
// The code of dialogs is loaded when the first one opens: no page needs it earlier.
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

/** Asks before an action. The focus starts on Cancel, and the dialog stays open while the action runs. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return useWasOpen(props.open) ? <ConfirmDialogPopup {...props} /> : null
}

/** Shows a message and waits for OK, where the specifications have a browser alert (catalogue G-040). */
export function AlertDialog(props: AlertDialogProps) {
  return useWasOpen(props.open) ? <AlertDialogPopup {...props} /> : null
}

/** True from the first opening on: a dialog that closes stays in the tree, so that it can fade out. */
function useWasOpen(open: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  return wasOpen || open
}
