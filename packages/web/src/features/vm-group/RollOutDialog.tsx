import { brokenStartScript, type VmPoolRollOut, vmCpuRange, vmMemoryRangeMb } from '@slipway/contract'
import { ApiError } from '../../api/client.ts'
import { type RollOutKind, useRollOut } from '../../api/roll-outs.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { SshKeyField } from '../ssh-key/SshKeyField.tsx'
import { StartScriptInput } from '../start-script/StartScriptField.tsx'
import { TemplateField } from '../template/TemplateField.tsx'
import { RootDiskField } from '../vm/RootDiskField.tsx'
import type { Group } from './group-kind.ts'
import {
  holdsDisks,
  rollOutChanges,
  rollOutFields,
  rollOutRootHint,
  type ScriptChoice,
  scriptChoices,
} from './roll-out-form.ts'

interface RollOutDialogProps {
  api: RollOutKind
  group: Group
  onClose: () => void
}

/** Asks for other settings, and has the VMs of a pool or set replaced by such that have them. */
export function RollOutDialog({ api, group, onClose }: RollOutDialogProps) {
  const { begin } = useRollOut(api, group)
  const { templates } = useTemplates()
  const { sshKeys } = useSshKeys()
  const { form, change, dirty } = useFields(rollOutFields(group))
  const changes = rollOutChanges(group, form)
  const templateGb = templates.find(({ id }) => id === form.template_id)?.image.root_disk_gb
  const asked = 'body' in changes ? changes.body : undefined
  const { submit, dialog } = useDialogForm({
    dirty,
    send: (body: VmPoolRollOut) => begin.mutateAsync(body),
    done: () => 'The roll-out has begun',
    failed: 'Failed to begin the roll-out. Please try again.',
    onClose,
  })
  // What the server refused, and knows more of.
  const sent = begin.variables
  const refused = begin.error instanceof ApiError ? begin.error.fields : undefined
  return (
    <FormDialog
      {...dialog}
      call={`${api}.rollOut`}
      title="Roll Out Changes"
      description={orders[api]}
      submit={{ label: 'Roll Out', busyText: 'Beginning...' }}
      onSubmit={() => {
        if (asked) submit(asked)
      }}
      note={'broken' in changes ? changes.broken : undefined}
    >
      <TemplateField
        templateId={form.template_id}
        onChange={(template_id) => {
          const template = templates.find(({ id }) => id === template_id)
          change({
            template_id,
            ...(template && { cpu: template.default_cpu, memory_mb: template.default_memory_mb }),
          })
        }}
      />
      <div className="grid grid-cols-2 gap-4">
        <Field label="CPUs">
          <NumberInput
            {...vmCpuRange}
            step={1}
            fallback={group.cpu}
            value={form.cpu}
            onValueChange={(cpu) => change({ cpu })}
          />
        </Field>
        <Field label="Memory (MB)">
          <NumberInput
            {...vmMemoryRangeMb}
            step={128}
            fallback={group.memory_mb}
            value={form.memory_mb}
            onValueChange={(memory_mb) => change({ memory_mb })}
          />
        </Field>
      </div>
      <RootDiskField
        value={form.rootDisk}
        onChange={({ target }) => change({ rootDisk: target.value })}
        templateGb={templateGb}
        hint={rollOutRootHint(group, templateGb)}
        error={
          sent?.root_disk_gb === asked?.root_disk_gb && sent?.template_id === asked?.template_id
            ? refused?.root_disk_gb
            : undefined
        }
      />
      <SshKeyField
        sshKey={sshKeys.find(({ id }) => id === form.ssh_key_id)}
        onChange={(ssh_key_id) => change({ ssh_key_id })}
        onLeave={() => {}}
        hint={`The VMs have the key "${group.ssh_key_name}" now.`}
      />
      {group.snapshot_id === null && (
        <Field label="Start script" hint="Another template does not change it.">
          <Select
            value={form.script}
            onValueChange={(value) => {
              const script = choices.find((choice) => choice === value)
              if (script) change({ script })
            }}
            options={choices.map((value) => ({ value, label: scriptChoices[value] }))}
          />
        </Field>
      )}
      {form.script === 'replace' && (
        <StartScriptInput
          value={form.start_script}
          onChange={(start_script) => change({ start_script })}
          error={
            (form.start_script === '' ? undefined : brokenStartScript(form.start_script)) ??
            (sent?.start_script === form.start_script ? refused?.start_script : undefined)
          }
        />
      )}
      {holdsDisks(group) && (
        <Checkbox
          label="Delete the disks of replaced VMs"
          description="A VM that is replaced is deleted with its root disk and the disks that were created for it. Other disks are detached and kept."
          checked={form.delete_disks}
          onCheckedChange={(delete_disks) => change({ delete_disks })}
        />
      )}
    </FormDialog>
  )
}

const choices: readonly ScriptChoice[] = ['keep', 'replace', 'remove']

const orders = {
  vmPool:
    'VMs are replaced one by one: a new VM has to run before an old one is deleted. If one does not start, the roll-out pauses.',
  vmSet:
    'VMs are replaced one by one under their names: one is deleted, and the new one has to run before the next one is deleted. If one does not start, the roll-out pauses.',
} as const
