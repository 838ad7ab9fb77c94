import { type Passkey, passkeyTexts } from '@slipway/contract'
import { useState } from 'react'
import { useAddPasskey, useRenamePasskey } from '../../api/passkeys.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Field, NameInput } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'
import { passkeyErrorText } from './passkey-words.ts'

/** Names a passkey; then the browser has the device make it. */
export function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const adding = useAddPasskey()
  const [name, setName] = useState('')
  const shell = useFormShell({
    dirty: name !== '',
    send: (typed: string) => adding.mutateAsync(typed),
    failureText: (error) => passkeyErrorText(error, 'The passkey was not added.'),
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Add Passkey"
      submit={{ label: 'Continue', busyText: 'Waiting for your device...' }}
      onSubmit={() =>
        name.trim() !== '' &&
        void shell.submit(name, {
          onSuccess: () => {
            toast.success('Passkey added')
            onClose()
          },
        })
      }
      pending={shell.pending}
      error={shell.error}
      note={name.trim() === '' ? passkeyTexts.nameMissing : undefined}
    >
      <Field
        label="Name"
        hint="The device or key ring that keeps it, such as “Phone”. Your browser asks next."
      >
        <NameInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
    </FormDialog>
  )
}

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const renaming = useRenamePasskey()
  const [name, setName] = useState(passkey.name)
  const { submit, dialog } = useDialogForm({
    dirty: name !== passkey.name,
    send: (typed: string) => renaming.mutateAsync({ id: passkey.id, name: typed }),
    done: () => 'Passkey renamed',
    failed: 'Failed to rename the passkey.',
    onClose,
  })
  return (
    <FormDialog
      {...dialog}
      title="Rename Passkey"
      submit={{ label: 'Rename', busyText: 'Renaming...' }}
      onSubmit={() => name.trim() !== '' && submit(name)}
      note={name.trim() === '' ? passkeyTexts.nameMissing : undefined}
    >
      <Field label="Name">
        <NameInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
    </FormDialog>
  )
}
