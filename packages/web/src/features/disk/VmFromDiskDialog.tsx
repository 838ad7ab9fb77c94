import type { Disk, VmCreate } from '@slipway/contract'
import { useState } from 'react'
import { Link } from 'react-router'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useCreateVm } from '../../api/vm-lifetime.ts'
import { paths } from '../../paths.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, NameInput } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { keyFor } from '../ssh-key/default-key.ts'
import { imageHint } from '../template/template-image.ts'
import { templateOptions } from '../template/template-options.tsx'
import { defaultVmName, firstBrokenRule, toBody, type VmFromDiskForm } from './vm-from-disk.ts'

/** Creates a VM that boots from a template and has the disk attached as a data disk. */
export function VmFromDiskDialog({ disk, onClose }: { disk: Disk; onClose: () => void }) {
  const { project } = useSelectedProject()
  const { templates, loading: templatesLoading, error: templatesError, retry: loadTemplates } = useTemplates()
  const { sshKeys, loading: keysLoading, error: keysError, retry: loadKeys } = useSshKeys()
  const create = useCreateVm()
  const [changed, setChanged] = useState<Partial<VmFromDiskForm>>({})

  // The first template and the default key until others are chosen.
  const template = templates.find(({ id }) => id === changed.templateId) ?? templates[0]
  const sshKey = keyFor(sshKeys, changed.sshKeyId ?? '')
  const { name = defaultVmName(disk), persistent = true } = changed
  const form = { name, templateId: template?.id ?? '', sshKeyId: sshKey?.id ?? '', persistent }
  const broken = firstBrokenRule(form, project?.id)
  const note = templatesLoading || keysLoading ? 'Loading templates and SSH keys...' : (broken ?? undefined)
  const change = (part: Partial<VmFromDiskForm>) => setChanged((before) => ({ ...before, ...part }))

  const { submit, dialog } = useDialogForm({
    dirty: Object.keys(changed).length > 0,
    send: (body: VmCreate, idempotencyKey) =>
      create.mutateAsync({ projectId: disk.project_id, body, idempotencyKey }),
    done: (vm) => `VM "${vm.name}" created successfully with disk attached!`,
    failed: 'Failed to create VM. Please try again.',
    onClose,
  })

  return (
    <FormDialog
      call="vm.create"
      {...dialog}
      title="Create VM from disk"
      description={
        <>
          The VM boots from the template. <b className="font-medium text-ink">{disk.name}</b> is attached as a
          data disk.
        </>
      }
      submit={{ label: 'Create VM', busyText: 'Creating...' }}
      onSubmit={() => (broken ? toast.error(broken) : submit(toBody(form, disk)))}
      note={note}
      asText={
        <AsText
          call="vm.create"
          project={project}
          named={[...templates, ...sshKeys, disk]}
          body={() => toBody(form, disk)}
          missing={note}
        />
      }
    >
      {(templatesError || keysError) && (
        <Banner
          tone="error"
          action={
            <Button
              size="sm"
              onClick={() => {
                if (templatesError) loadTemplates()
                if (keysError) loadKeys()
              }}
            >
              Try Again
            </Button>
          }
        >
          Failed to load templates or SSH keys
        </Banner>
      )}
      <Field label="VM Name">
        <NameInput value={name} onChange={(event) => change({ name: event.target.value })} />
      </Field>
      <Field label="Template" hint={template && imageHint(template)}>
        <Select
          value={template?.id ?? null}
          onValueChange={(templateId) => change({ templateId })}
          disabled={templates.length === 0}
          placeholder={templatesLoading ? 'Loading templates...' : 'No templates'}
          options={templateOptions(templates)}
        />
      </Field>
      <Field
        label="SSH Key"
        hint={
          !keysLoading &&
          !keysError &&
          sshKeys.length === 0 && (
            <Link to={paths.sshKeys} className="link">
              Add an SSH key
            </Link>
          )
        }
      >
        <Select
          value={sshKey?.id ?? null}
          onValueChange={(sshKeyId) => change({ sshKeyId })}
          disabled={sshKeys.length === 0}
          placeholder={keysLoading ? 'Loading SSH keys...' : 'No SSH keys yet'}
          options={sshKeys.map(({ id, name, fingerprint }) => ({
            value: id,
            label: name,
            description: fingerprint,
          }))}
        />
      </Field>
      <Checkbox
        label="Persistent storage"
        description="The root disk keeps its data when the VM stops or restarts. The data disk always keeps its data."
        checked={persistent}
        onCheckedChange={(persistent) => change({ persistent })}
      />
    </FormDialog>
  )
}
