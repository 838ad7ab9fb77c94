import {
  activityKinds,
  type Webhook,
  type WebhookCreate,
  WebhookCreate as WebhookCreateSchema,
  type WebhookWithSecret,
  webhookLimits,
  webhookObjects,
  webhookTitle,
} from '@slipway/contract'
import { useState } from 'react'
import { useSelectedProject } from '../../api/projects.ts'
import { useWebhookActs } from '../../api/webhooks.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { kindWords, objectWords } from '../activity/activity-words.ts'
import { AsText } from '../as-text/AsText.tsx'
import { SecretOnce } from './SecretOnce.tsx'
import { brokenRule, fieldsOf, noFields, toBody, type WebhookFields } from './webhook-form.ts'

/** Asks where entries are sent and which; then shows the secret, which is the only time. */
export function CreateWebhookDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [created, setCreated] = useState<WebhookWithSecret>()
  if (created) return <SecretOnce webhook={created} title="Webhook created" onClose={onClose} />
  return <CreateForm projectId={projectId} onCreated={setCreated} onClose={onClose} />
}

interface CreateFormProps {
  projectId: string
  onCreated: (webhook: WebhookWithSecret) => void
  onClose: () => void
}

function CreateForm({ projectId, onCreated, onClose }: CreateFormProps) {
  const { create } = useWebhookActs(projectId)
  const { project } = useSelectedProject()
  const [fields, setFields] = useState(noFields)
  const { submit, dialog } = useDialogForm({
    dirty: fields !== noFields,
    send: async (body: WebhookCreate) => {
      onCreated(await create.mutateAsync(body))
    },
    done: () => 'Webhook created',
    failed: 'Failed to create the webhook.',
    // The dialog goes on with the secret.
    onClose: () => {},
  })
  const { body, note } = checked(fields)
  return (
    <FormDialog
      call="webhook.create"
      {...dialog}
      onOpenChange={onClose}
      title="Create webhook"
      description="Entries of the project's activity are sent there as they happen."
      submit={{ label: 'Create Webhook', busyText: 'Creating...' }}
      onSubmit={() => body && submit(body)}
      note={note}
      asText={
        <AsText call="webhook.create" project={project} named={[]} body={() => body ?? {}} missing={note} />
      }
    >
      <Fields fields={fields} onChange={setFields} />
    </FormDialog>
  )
}

export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { update } = useWebhookActs(webhook.project_id)
  const [was] = useState(() => fieldsOf(webhook))
  const [fields, setFields] = useState(was)
  const { submit, dialog } = useDialogForm({
    dirty: fields !== was,
    send: (body: WebhookCreate) => update.mutateAsync({ id: webhook.id, body }),
    done: (changed) => `Webhook ${webhookTitle(changed)} was changed`,
    failed: 'Failed to change the webhook.',
    onClose,
  })
  const { body, note } = checked(fields)
  return (
    <FormDialog
      call="webhook.update"
      {...dialog}
      title="Edit webhook"
      description="Deliveries that wait are sent to the new URL."
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => body && submit(body)}
      note={note}
    >
      <Fields fields={fields} onChange={setFields} />
    </FormDialog>
  )
}

/** The body to send, or what is broken. */
function checked(fields: WebhookFields): { body?: WebhookCreate; note?: string | undefined } {
  const body = toBody(fields)
  const parsed = WebhookCreateSchema.safeParse(body)
  const note = brokenRule(fields) ?? (parsed.success ? undefined : parsed.error.issues[0]?.message)
  return note === undefined ? { body } : { note }
}

interface FieldsProps {
  fields: WebhookFields
  onChange: (fields: WebhookFields) => void
}

function Fields({ fields, onChange }: FieldsProps) {
  const set = (change: Partial<WebhookFields>) => onChange({ ...fields, ...change })
  return (
    <>
      <Field label="URL" hint="An https URL that takes POST requests">
        <TextInput
          type="url"
          value={fields.url}
          onChange={({ target }) => set({ url: target.value })}
          autoComplete="off"
          maxLength={webhookLimits.url}
          className="mono"
        />
      </Field>
      <Field label="Description" optional hint="What receives it, such as “alerts in chat”">
        <TextInput
          value={fields.description}
          onChange={({ target }) => set({ description: target.value })}
          autoComplete="off"
          maxLength={webhookLimits.description}
          dir="auto"
        />
      </Field>
      <RadioGroup
        label="Entries"
        value={fields.which}
        onValueChange={(which) => set({ which })}
        options={[
          { value: 'all', label: 'All entries', description: 'Everything that the activity page shows.' },
          {
            value: 'some',
            label: 'Only some',
            description: 'Entries that match each choice below. A choice left empty matches all.',
          },
        ]}
      />
      {fields.which === 'some' && (
        <>
          <Choices
            legend="Objects"
            all={webhookObjects}
            words={objectWords}
            chosen={fields.objects}
            onChange={(objects) => set({ objects })}
          />
          <Choices
            legend="Kinds"
            all={activityKinds}
            words={kindWords}
            chosen={fields.kinds}
            onChange={(kinds) => set({ kinds })}
          />
          <Field label="Actions" optional hint="With commas, such as vm.start, vm.running, vm.error">
            <TextInput
              value={fields.actions}
              onChange={({ target }) => set({ actions: target.value })}
              autoComplete="off"
              spellCheck={false}
              className="mono"
            />
          </Field>
        </>
      )}
    </>
  )
}

interface ChoicesProps<Value extends string> {
  legend: string
  all: readonly Value[]
  words: Readonly<Record<Value, string>>
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
}

function Choices<Value extends string>({ legend, all, words, chosen, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-dense font-medium">{legend}</legend>
      <ul className="grid grid-cols-2 gap-x-4 gap-y-2.5 rounded-control border border-line-control p-3">
        {all.map((one) => (
          <li key={one}>
            <Checkbox
              label={words[one]}
              checked={chosen.includes(one)}
              onCheckedChange={(checked) =>
                onChange(all.filter((other) => (other === one ? checked : chosen.includes(other))))
              }
            />
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
