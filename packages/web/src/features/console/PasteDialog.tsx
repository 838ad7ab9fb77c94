import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'

interface PasteDialogProps {
  onClose: () => void
  onPaste: (text: string) => void
}

/** For browsers that do not allow pages to read the clipboard. */
export function PasteDialog({ onClose, onPaste }: PasteDialogProps) {
  const [text, setText] = useState('')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Paste into the console"
      description="This browser does not allow pages to read the clipboard. Paste your text into the field."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={text === ''} onClick={() => onPaste(text)}>
            Paste
          </Button>
        </>
      }
    >
      <Field label="Text to paste">
        <TextArea
          rows={6}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="font-mono"
          spellCheck={false}
        />
      </Field>
    </Dialog>
  )
}
