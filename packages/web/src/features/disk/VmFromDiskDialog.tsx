import { type Disk, formatCpu, formatMemory } from '@slipway/contract'
import { type FormEvent, useId, useState } from 'react'
import { Link } from 'react-router'
import { errorDetail } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useCreateVm } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { toast } from '../../ui/toast.tsx'
import { imageHint } from '../template/template-image.ts'
import { defaultVmName, firstBrokenRule, toBody } from './vm-from-disk.ts'

/** A VM that starts with a disk on it: it boots from the template, the disk is one more. */
export function VmFromDiskDialog({ disk, onClose }: { disk: Disk; onClose: () => void }) {
  const formId = useId()
  const { project } = useSelectedProject()
  const { templates, loading: templatesLoading, error: templatesError, retry: loadTemplates } = useTemplates()
  const { sshKeys, loading: keysLoading, error: keysError, retry: loadKeys } = useSshKeys()
  const create = useCreateVm()
  const [name, setName] = useState(() => defaultVmName(disk))
  const [templateId, setTemplateId] = useState<string | null>(null)
  const [sshKeyId, setSshKeyId] = useState<string | null>(null)
  const [persistent, setPersistent] = useState(true)

  // The first ones until others are chosen.
  const template = templates.find(({ id }) => id === templateId) ?? templates[0]
  const sshKey = sshKeys.find(({ id }) => id === sshKeyId) ?? sshKeys[0]
  const form = { name, templateId: template?.id ?? '', sshKeyId: sshKey?.id ?? '', persistent }
  const broken = firstBrokenRule(form, project?.id)
  const note = templatesLoading || keysLoading ? 'Loading templates and SSH keys...' : broken

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (create.isPending) return
    if (broken) {
      toast.error(broken)
      return
    }
    // By the promise: callbacks of `mutate` are lost when the row scrolls away before the answer is there.
    create.mutateAsync({ projectId: disk.project_id, body: toBody(form, disk) }).then(
      (vm) => {
        toast.success(`VM "${vm.name}" created successfully with disk attached!`)
        onClose()
      },
      (error) => toast.error('Failed to create VM. Please try again.', { detail: errorDetail(error) }),
    )
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !create.isPending && onClose()}
      title="Create VM from disk"
      description={
        <>
          The VM boots from the template. <b className="font-medium text-ink">{disk.name}</b> is on it as a
          data disk.
        </>
      }
      footer={
        <>
          <p role="status" className="min-w-0 flex-1 self-center text-ink-3 phone:flex-[1_0_100%]">
            {note}
          </p>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={create.isPending}
            busyText="Creating..."
            disabledReason={note ?? undefined}
          >
            Create VM
          </Button>
        </>
      }
    >
      <form id={formId} aria-label="Create VM from disk" noValidate onSubmit={submit} className="grid gap-4">
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
          <TextInput
            value={name}
            onChange={(event) => setName(event.target.value)}
            autoComplete="off"
            maxLength={100}
            dir="auto"
          />
        </Field>
        <Field label="Template" hint={template && imageHint(template)}>
          <Select
            value={template?.id ?? null}
            onValueChange={setTemplateId}
            disabled={templates.length === 0}
            placeholder={templatesLoading ? 'Loading templates...' : 'No templates'}
            options={templates.map(({ id, name, default_cpu, default_memory_mb }) => ({
              value: id,
              label: name,
              description: `${formatCpu(default_cpu)}, ${formatMemory(default_memory_mb)}`,
              icon: <TemplatePlate templateId={id} size={16} />,
            }))}
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
            onValueChange={setSshKeyId}
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
          description="The root disk keeps its data when the VM stops or restarts. The data disk always does."
          checked={persistent}
          onCheckedChange={setPersistent}
        />
      </form>
    </Dialog>
  )
}
