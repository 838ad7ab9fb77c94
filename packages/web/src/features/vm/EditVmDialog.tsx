import {
  diskAllowedBy,
  isMember,
  noteLimit,
  unlessLimited,
  type Vm,
  type VmUpdate,
  vmChangeTexts,
  vmCpuRange,
  vmMemoryRangeMb,
} from '@slipway/contract'
import { useLimits } from '../../api/host.ts'
import { useTemplates } from '../../api/templates.ts'
import { useUpdateVm } from '../../api/vm-change.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, NameInput, TextArea, TextInput } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { RootDiskField } from './RootDiskField.tsx'
import { rootDiskBytes } from './root-disk.ts'
import { VmKeyField } from './VmKeyField.tsx'
import { changedText, changesIn, fieldsOf } from './vm-edit.ts'

/** Changes what a VM is called, what is said about it, and what it has. */
export function EditVmDialog({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const { mutateAsync } = useUpdateVm()
  const { form, change, dirty } = useFields(fieldsOf(vm))
  const changes = changesIn(vm, form)
  const body = changes && 'body' in changes ? changes.body : null
  const { refusal } = useQuotaCheck(vm.project_id, {
    processors: Math.max(0, (body?.cpu ?? 0) - Math.max(vm.cpu, vm.next_cpu ?? 0)),
    memory_mb: Math.max(0, (body?.memory_mb ?? 0) - Math.max(vm.memory_mb, vm.next_memory_mb ?? 0)),
    disk_bytes: Math.max(0, rootDiskBytes(form.rootDisk, null) - rootDiskBytes(fieldsOf(vm).rootDisk, null)),
  })
  const { submit, dialog } = useDialogForm({
    dirty,
    send: (input: VmUpdate) => mutateAsync({ vm, body: input }),
    done: changedText,
    failed: 'Failed to change the VM. Please try again.',
    onClose,
  })
  const ofGroup = isMember(vm)
  const { grow_root_disks } = useLimits()
  const templateGb = useTemplates().templates.find(({ id }) => id === vm.template_id)?.image.root_disk_gb
  const rootFixed = reasonOf(unlessLimited(grow_root_disks)) ?? reasonOf(diskAllowedBy.grow(vm))
  const broken = changes === null ? 'Nothing has changed.' : 'broken' in changes ? changes.broken : refusal
  return (
    <FormDialog
      {...dialog}
      call="vm.update"
      title="Edit VM"
      description={ofGroup ? `${vmChangeTexts.ofGroup}.` : undefined}
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => {
        if (body && !refusal) submit(body)
      }}
      note={broken}
    >
      {!ofGroup && (
        <>
          <Field
            label="VM Name"
            hint="SSH by name and the project network use the new name at once, the guest from its next start."
          >
            <NameInput value={form.name} onChange={({ target }) => change({ name: target.value })} />
          </Field>
          <div>
            <div className="grid grid-cols-2 gap-4">
              <Field label="CPUs">
                <NumberInput
                  {...vmCpuRange}
                  step={1}
                  fallback={vm.cpu}
                  value={form.cpu}
                  onValueChange={(cpu) => change({ cpu })}
                />
              </Field>
              <Field label="Memory (MB)">
                <NumberInput
                  {...vmMemoryRangeMb}
                  step={128}
                  fallback={vm.memory_mb}
                  value={form.memory_mb}
                  onValueChange={(memory_mb) => change({ memory_mb })}
                />
              </Field>
            </div>
            <p className="mt-1.5 text-hint text-ink-3">
              A running VM gets more of both within seconds if its guest supports that, otherwise when it next
              starts. Less of either takes effect when it next starts.
            </p>
          </div>
          <RootDiskField
            value={form.rootDisk}
            onChange={({ target }) => change({ rootDisk: target.value })}
            templateGb={templateGb}
            disabled={rootFixed !== undefined}
            hint={
              rootFixed ??
              'The root disk can only be enlarged. A running VM makes use of it within seconds, or when it next starts.'
            }
          />
          <VmKeyField vm={vm} sshKeyId={form.ssh_key_id} onChange={(ssh_key_id) => change({ ssh_key_id })} />
        </>
      )}
      <Field label="Tags" optional hint="Separate tags by commas. The search finds VMs by their tags.">
        <TextInput
          value={form.tags}
          onChange={({ target }) => change({ tags: target.value })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          dir="auto"
        />
      </Field>
      <Field label="Note" optional>
        <TextArea
          value={form.note}
          onChange={({ target }) => change({ note: target.value })}
          maxLength={noteLimit}
          dir="auto"
        />
      </Field>
      {!ofGroup && (
        <Checkbox
          label="Persistent storage"
          description="Without it, the root disk starts from the template again each time the VM starts."
          checked={form.persistent}
          onCheckedChange={(persistent) => change({ persistent })}
        />
      )}
      <Checkbox
        label="Protect against deletion"
        description="The VM cannot be deleted before this is turned off."
        checked={form.delete_protection}
        onCheckedChange={(delete_protection) => change({ delete_protection })}
      />
    </FormDialog>
  )
}
