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
import { useSelectedProject } from '../../api/projects.ts'
import { useCreateShare, useListeningPorts, useUpdateShare } from '../../api/shares.ts'
import { useVms } from '../../api/vms.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { audienceLabels } from './share-address.ts'
import { type End, endOf, localTime, spans } from './share-end.ts'

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
  const [end, setEnd] = useState<End>({ choice: 'never', own: '' })
  const parsed = GuestPort.safeParse(port.trim() === '' ? undefined : Number(port))
  const isTaken = taken.some((share) => share.port === parsed.data)
  const portNote = isTaken ? shareTexts.alreadyShared : parsed.success ? undefined : shareTexts.portMissing
  const { refusal, left } = useQuotaCheck(vm.project_id, { shares: 1 })
  const broken = portNote ?? endNote(end, null)
  const { project } = useSelectedProject()
  const { vms } = useVms(vm.project_id)
  const { submit, dialog } = useDialogForm({
    dirty: port !== '',
    send: (body: Parameters<typeof create.mutateAsync>[0]['body'], idempotencyKey) =>
      create.mutateAsync({ body, idempotencyKey }),
    done: (share: Share) => `Port ${share.port} is shared`,
    failed: 'Failed to share the port.',
    onClose,
  })
  /** What is sent; undefined while it cannot be. */
  const toBody = () => {
    const expires_at = endOf(end, null, Date.now())
    if (!parsed.success || isTaken || expires_at === undefined) return undefined
    return { port: parsed.data, kind, audience: kind === 'tcp' ? 'everybody' : audience, expires_at } as const
  }
  const offers = (listening ?? []).filter(
    (one) => one !== sshPort && !taken.some((share) => share.port === one),
  )
  return (
    <FormDialog
      call="share.create"
      {...dialog}
      title="Share a port"
      description={left}
      submit={{ label: 'Share Port', busyText: 'Sharing...' }}
      onSubmit={() => {
        const body = toBody()
        if (body && !refusal) submit(body)
      }}
      note={refusal ?? broken}
      asText={
        <AsText
          call="share.create"
          project={project}
          params={{ vmId: vm.id }}
          named={vms}
          body={() => toBody() ?? {}}
          missing={broken}
        />
      }
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
        {/* As tall while nothing is known: what is below must not move under a pointer when the answer comes. */}
        <p className="mt-1.5 flex min-h-7 flex-wrap items-center gap-1.5 text-hint text-ink-2 phone:min-h-10">
          {offers.length > 0 ? 'Listening now:' : noOffer(listening)}
          {offers.slice(0, 8).map((one) => (
            <Button key={one} size="sm" className="phone:h-10" onClick={() => setPort(`${one}`)}>
              {one}
            </Button>
          ))}
        </p>
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
      <Until value={end} onValueChange={setEnd} />
    </FormDialog>
  )
}

const noOffer = (listening: number[] | null | undefined) =>
  listening === undefined
    ? 'Looking for open ports...'
    : listening === null
      ? 'This VM does not report its open ports.'
      : 'No other port is open.'

/** Asks anew who may open a shared port, and until when. */
export function ChangeShareDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const update = useUpdateShare()
  const [audience, setAudience] = useState(share.audience)
  const [end, setEnd] = useState<End>({
    choice: 'same',
    own: share.expires_at === null ? '' : localTime(share.expires_at),
  })
  const { submit, dialog } = useDialogForm({
    dirty: audience !== share.audience || end.choice !== 'same',
    send: (body: Parameters<typeof update.mutateAsync>[0]['body']) => update.mutateAsync({ share, body }),
    done: () => `Port ${share.port} is shared as you chose`,
    failed: 'Failed to change the shared port.',
    onClose,
  })
  return (
    <FormDialog
      call="share.update"
      {...dialog}
      title={`Change port ${share.port}`}
      description="Whoever was let in before another choice has to come in again."
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => {
        const expires_at = endOf(end, share.expires_at, Date.now())
        if (expires_at !== undefined) submit({ audience, expires_at })
      }}
      note={endNote(end, share.expires_at)}
    >
      {share.kind === 'http' && <Audience value={audience} onValueChange={setAudience} />}
      <Until value={end} onValueChange={setEnd} same={share.expires_at} />
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

/** What is wrong with the end; the server looks once more when the form is sent. */
const endNote = (end: End, same: string | null) =>
  endOf(end, same, Date.now()) === undefined ? shareTexts.expiryPast : undefined

function Until({ value, onValueChange, same }: ChoiceProps<End> & { same?: string | null }) {
  const kept =
    same === undefined
      ? []
      : [
          {
            value: 'same',
            label: same === null ? 'As before: no end' : `As before: ${formatDateTime(same)}`,
          },
        ]
  const fresh = Object.entries(spans).map(([one, { label, ms }]) => ({
    value: one,
    label: ms === null ? label : `${label} from now`,
  }))
  return (
    <>
      <Field label="Until">
        <Select
          value={value.choice}
          // Only what was offered comes back.
          onValueChange={(next) => onValueChange({ ...value, choice: next as End['choice'] })}
          options={[...kept, ...fresh, { value: 'own', label: 'A date and time' }]}
        />
      </Field>
      {value.choice === 'own' && (
        <Field label="Date and time" hint="In the time zone of this browser">
          <TextInput
            type="datetime-local"
            value={value.own}
            max="9999-12-31T23:59"
            onChange={({ target }) => onValueChange({ ...value, own: target.value })}
          />
        </Field>
      )}
    </>
  )
}
