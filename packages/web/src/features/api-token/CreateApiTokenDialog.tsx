import {
  type ApiTokenAccess,
  ApiTokenCreate,
  type ApiTokenCreated,
  apiTokenDays,
  apiTokenTexts,
} from '@slipway/contract'
import { useState } from 'react'
import { useCreateApiToken } from '../../api/api-tokens.ts'
import { useProjects } from '../../api/projects.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, NameInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { accessWords } from './api-token-words.ts'

/** Asks what a token is for; then shows it, which is the only time. */
export function CreateApiTokenDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<ApiTokenCreated>()
  if (created) return <ShownOnce created={created} onClose={onClose} />
  return <ApiTokenForm onCreated={setCreated} onClose={onClose} />
}

interface ApiTokenFormProps {
  onCreated: (created: ApiTokenCreated) => void
  onClose: () => void
}

function ApiTokenForm({ onCreated, onClose }: ApiTokenFormProps) {
  const create = useCreateApiToken()
  const { projects } = useProjects()
  const [name, setName] = useState('')
  const [access, setAccess] = useState<ApiTokenAccess>('read')
  const [days, setDays] = useState<number>(apiTokenDays.default)
  const [where, setWhere] = useState<'all' | 'some'>('all')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const parsed = ApiTokenCreate.safeParse({
    name,
    access,
    project_ids: where === 'all' ? null : chosen,
    expires_in_days: days,
  })
  const { submit, dialog } = useDialogForm({
    dirty: name !== '' || chosen.length > 0,
    send: async (body: ApiTokenCreate) => {
      onCreated(await create.mutateAsync(body))
    },
    done: () => 'API token created',
    failed: 'Failed to create the API token.',
    // The dialog goes on with the token.
    onClose: () => {},
  })
  const broken = parsed.error?.issues[0]?.message
  return (
    <FormDialog
      {...dialog}
      onOpenChange={onClose}
      title="Create API Token"
      submit={{ label: 'Create Token', busyText: 'Creating...' }}
      onSubmit={() => parsed.success && submit(parsed.data)}
      note={broken}
      asText={
        <AsText
          call="apiToken.create"
          project={null}
          named={[]}
          body={() => parsed.data ?? {}}
          missing={broken}
        />
      }
    >
      <Field label="Name" hint="Where the token is used, such as “backups on nas”">
        <NameInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Expires after">
        <Select
          value={`${days}`}
          onValueChange={(value) => setDays(Number(value))}
          options={apiTokenDays.choices.map((count) => ({
            value: `${count}`,
            label: count === 365 ? '1 year' : `${count} days`,
          }))}
        />
      </Field>
      <RadioGroup
        label="Access"
        value={access}
        onValueChange={setAccess}
        options={[
          { value: 'read', label: accessWords.read, description: 'Lists, details, usage and events.' },
          {
            value: 'write',
            label: accessWords.write,
            description: 'Also creates, changes and deletes, and opens consoles.',
          },
        ]}
      />
      <RadioGroup
        label="Projects"
        value={where}
        onValueChange={setWhere}
        options={[
          { value: 'all', label: 'All projects', description: 'Also those that you create later.' },
          {
            value: 'some',
            label: 'Only some',
            disabledReason: projects.length === 0 ? 'You have no projects yet.' : undefined,
          },
        ]}
      />
      {where === 'some' && (
        <fieldset className="min-w-0">
          <legend className="sr-only">{apiTokenTexts.projectsMissing}</legend>
          <ul className="grid max-h-48 gap-2.5 overflow-y-auto rounded-control border border-line-control p-3">
            {projects.map((project) => (
              <li key={project.id}>
                <Checkbox
                  label={<bdi className="wrap-anywhere">{project.name}</bdi>}
                  checked={chosen.includes(project.id)}
                  onCheckedChange={(checked) =>
                    setChosen(checked ? [...chosen, project.id] : chosen.filter((one) => one !== project.id))
                  }
                />
              </li>
            ))}
          </ul>
        </fieldset>
      )}
    </FormDialog>
  )
}

function ShownOnce({ created, onClose }: { created: ApiTokenCreated; onClose: () => void }) {
  const example = `curl -H "Authorization: Bearer $SLIPWAY_TOKEN" ${window.location.origin}/api/projects`
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="API Token Created"
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4">
        <Banner tone="warn">Copy the token now and keep it like a password. It is not shown again.</Banner>
        <div>
          <p className="mb-1.5 text-dense font-medium wrap-anywhere">
            <bdi>{created.name}</bdi>
          </p>
          <CodeLine
            code={created.token}
            copyLabel="Copy API token"
            success="API token copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
        </div>
        <div>
          <p className="mb-1.5 text-dense font-medium">Use it</p>
          <CodeLine
            code={example}
            copyLabel="Copy example"
            success="Copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
        </div>
      </div>
    </Dialog>
  )
}
