import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import {
  type CallInput,
  type EndpointOf,
  parseSshPublicKey,
  publicKeyPath,
  SshKeyCreate,
  sshKeyTexts,
} from '@slipway/contract'
import { useForm } from 'react-hook-form'
import { errorText } from '../../api/errors.ts'
import { useCreateSshKey } from '../../api/ssh-keys.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { keygenCopy } from './keygen.ts'

interface AddSshKeyDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

const previewLength = 60

export function AddSshKeyDialog({ open, onOpenChange }: AddSshKeyDialogProps) {
  const create = useCreateSshKey()
  const { register, handleSubmit, reset, watch, formState } = useForm<
    CallInput<EndpointOf<'sshKey.create'>>['body'],
    unknown,
    SshKeyCreate
  >({
    defaultValues: { key_name: '', ssh_public_key: '', is_default: false },
    resolver: standardSchemaResolver(SshKeyCreate),
  })
  const { errors, isDirty } = formState
  const shell = useFormShell({
    dirty: open && isDirty,
    send: (body: SshKeyCreate, idempotencyKey) => create.mutateAsync({ body, idempotencyKey }),
    failureText: (error) => errorText(error, 'Failed to add SSH key.'),
  })
  const typed = SshKeyCreate.safeParse(watch())
  const nameless = watch('key_name').trim() === ''

  const close = () => {
    onOpenChange(false)
    reset()
    shell.reset()
  }
  const submit = handleSubmit(
    (body) =>
      void shell.submit(body, {
        onSuccess: () => {
          toast.success('SSH key added successfully!')
          close()
        },
      }),
    // What went wrong before is over when something else is wrong now.
    shell.reset,
  )

  return (
    <FormDialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title="Add SSH Key"
      submit={{ label: 'Add SSH Key', busyText: 'Adding...' }}
      onSubmit={() => void submit()}
      pending={shell.pending}
      note={nameless ? sshKeyTexts.nameMissing : undefined}
      asText={
        <AsText
          call="sshKey.create"
          project={null}
          named={[]}
          body={() => typed.data ?? {}}
          missing={typed.error?.issues[0]?.message}
        />
      }
      error={shell.error}
    >
      <Field label="Name" error={errors.key_name?.message}>
        <TextInput {...register('key_name')} autoComplete="off" dir="auto" />
      </Field>
      <Field
        label="Public key"
        error={errors.ssh_public_key?.message}
        hint={<KeyHint text={watch('ssh_public_key')} />}
      >
        <TextArea
          {...register('ssh_public_key')}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          placeholder="ssh-ed25519 AAAA..."
          className="mono"
        />
      </Field>
      <Checkbox
        {...register('is_default')}
        label="Use as default key"
        description="Preselected when you create a VM."
      />
      <div>
        <p className="mb-1.5 text-dense font-medium">No key yet?</p>
        <CodeLine {...keygenCopy} />
        <p className="mt-1.5 text-hint text-ink-3">
          Run this on your computer. The public key is then in{' '}
          <code className="whitespace-nowrap">{publicKeyPath}</code>.
        </p>
      </div>
    </FormDialog>
  )
}

/** The first characters of the key as it was understood, and what is to be known about it. */
function KeyHint({ text }: { text: string }) {
  const key = parseSshPublicKey(text)
  if (text.trim() === '') {
    return (
      <>
        One line that begins with the type, such as <code className="whitespace-nowrap">ssh-ed25519</code>.
      </>
    )
  }
  return (
    <>
      <span className="block">Preview</span>
      <code className="block wrap-anywhere text-ink-2">{text.trim().slice(0, previewLength)}</code>
      {key?.type === 'ssh-dss' && (
        <Banner tone="warn" className="mt-2">
          Current guests refuse ssh-dss keys. You could not sign in to a VM with this key. Use ssh-ed25519 or
          ssh-rsa.
        </Banner>
      )}
    </>
  )
}
