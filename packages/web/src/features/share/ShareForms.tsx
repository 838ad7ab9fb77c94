import {
  GuestPort,
  type Share,
  type ShareAudience,
  type ShareKind,
  shareAudiences,
  shareTexts,
  type Vm,
} from '@slipway/contract'
import { useState } from 'react'
import { useHost } from '../../api/host.ts'
import { useCreateShare, useListeningPorts, useUpdateShare } from '../../api/shares.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { audienceLabels, endOf, type Span, spans } from './share-address.ts'

const audienceNotes: Record<ShareAudience, string> = {
  project: 'You, signed in to the console in the same browser.',
  link: 'The address holds a secret. Whoever gets it may open it.',
  everybody: 'No question asked.',
}

/** SSH has a way of its own. */
const sshPort = 22

/** Asks which port of a VM is shared, and with whom. */
export function CreateShareDialog({
  vm,
  taken,
  onClose,
}: {
  vm: Vm
  taken: readonly Share[]
  onClose: () => void
}) {
  const create = useCreateShare(vm)
  const listening = useListeningPorts(vm)
  const [port, setPort] = useState('')
  const limits = useHost()?.sharing
  const [kind, setKind] = useState<ShareKind>(limits?.http ? 'tcp' : 'http')
  const [audience, setAudience] = useState<ShareAudience>('project')
  const [span, setSpan] = useState<Span>('never')
  const parsed = GuestPort.safeParse(port.trim() === '' ? undefined : Number(port))
  const isTaken = taken.some((share) => share.port === parsed.data)
  const note = isTaken ? shareTexts.alreadyShared : parsed.success ? undefined : shareTexts.portMissing
  const { submit, dialog } = useDialogForm({
    dirty: port !== '',
    send: (body: Parameters<typeof create.mutateAsync>[0]['body'], idempotencyKey) =>
      create.mutateAsync({ body, idempotencyKey }),
    done: (share: Share) => `Port ${share.port} is shared`,
    failed: 'Failed to share the port.',
    onClose,
  })
  const offers = (listening ?? []).filter(
    (one) => one !== sshPort && !taken.some((share) => share.port === one),
  )
  return (
    <FormDialog
      {...dialog}
      title="Share a port"
      submit={{ label: 'Share Port', busyText: 'Sharing...' }}
      onSubmit={() => {
        if (!parsed.success || isTaken) return
        const expires_at = endOf(span, Date.now())
        submit({ port: parsed.data, kind, audience: kind === 'tcp' ? 'everybody' : audience, expires_at })
      }}
      note={note}
    >
      <div>
        <Field label="Port" hint="On which a program in the VM listens, such as 3000">
          <TextInput
            value={port}
            onChange={({ target }) => setPort(target.value)}
            inputMode="numeric"
            autoComplete="off"
            className="mono"
          />
        </Field>
        {offers.length > 0 && (
          <p className="mt-1.5 flex flex-wrap items-center gap-1.5 text-hint text-ink-2">
            Listening now:
            {offers.slice(0, 8).map((one) => (
              <Button key={one} size="sm" className="phone:h-10" onClick={() => setPort(`${one}`)}>
                {one}
              </Button>
            ))}
          </p>
        )}
      </div>
      <RadioGroup
        label="What listens there"
        value={kind}
        onValueChange={setKind}
        options={[
          {
            value: 'http',
            label: 'Web page',
            description: 'HTTP, with an address for browsers.',
            disabledReason: limits?.http ?? undefined,
          },
          {
            value: 'tcp',
            label: 'Something else (TCP)',
            description: 'A database or a game: open to everybody who reaches the server.',
            disabledReason: limits?.tcp ?? undefined,
          },
        ]}
      />
      {kind === 'http' && <Audience value={audience} onValueChange={setAudience} />}
      <Until value={span} onValueChange={setSpan} />
    </FormDialog>
  )
}

/** Asks anew who may open a shared port, and until when. */
export function ChangeShareDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const update = useUpdateShare()
  const [audience, setAudience] = useState(share.audience)
  const [span, setSpan] = useState<Span | 'same'>('same')
  const { submit, dialog } = useDialogForm({
    dirty: audience !== share.audience || span !== 'same',
    send: (body: Parameters<typeof update.mutateAsync>[0]['body']) => update.mutateAsync({ share, body }),
    done: () => `Port ${share.port} is shared as you chose`,
    failed: 'Failed to change the shared port.',
    onClose,
  })
  return (
    <FormDialog
      {...dialog}
      title={`Change port ${share.port}`}
      description="Whoever was let in before another choice has to come in again."
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() =>
        submit({ audience, expires_at: span === 'same' ? share.expires_at : endOf(span, Date.now()) })
      }
    >
      {share.kind === 'http' && <Audience value={audience} onValueChange={setAudience} />}
      <Until value={span} onValueChange={setSpan} same={share.expires_at} />
    </FormDialog>
  )
}

interface ChoiceProps<Value> {
  value: Value
  onValueChange: (value: Value) => void
}

const Audience = ({ value, onValueChange }: ChoiceProps<ShareAudience>) => (
  <RadioGroup
    label="Who may open it"
    value={value}
    onValueChange={onValueChange}
    options={shareAudiences.map((one) => ({
      value: one,
      label: audienceLabels[one],
      description: audienceNotes[one],
    }))}
  />
)

function Until<Value extends Span | 'same'>({
  value,
  onValueChange,
  same,
}: ChoiceProps<Value> & { same?: string | null }) {
  const kept =
    same === undefined
      ? []
      : [
          {
            value: 'same',
            label: same === null ? 'As before: no end' : `As before: ${new Date(same).toLocaleString()}`,
          },
        ]
  const fresh = Object.entries(spans).map(([one, { label, ms }]) => ({
    value: one,
    label: ms === null ? label : `${label} from now`,
  }))
  return (
    <Field label="Until">
      <Select
        value={value}
        // Only what was offered comes back.
        onValueChange={(next) => onValueChange(next as Value)}
        options={[...kept, ...fresh]}
      />
    </Field>
  )
}
