import { type Disk, type DiskUpdate, diskAllowedBy, diskCan, unlessLimited } from '@slipway/contract'
import { useUpdateDisk } from '../../api/disk-change.ts'
import { useLimits } from '../../api/host.ts'
import { useVms } from '../../api/vms.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Field, NameInput, TextArea, TextInput } from '../../ui/Field.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { changesIn, fieldsOf, moreGi } from './disk-edit.ts'

const gibibyte = 1024 ** 3

/** Changes what a disk is called, what is said about it, and its size, which only grows. */
export function EditDiskDialog({ disk, onClose }: { disk: Disk; onClose: () => void }) {
  const { mutateAsync } = useUpdateDisk()
  const limits = useLimits()
  const vm = useVms(disk.project_id).vms.find(({ id }) => id === disk.vm_id)
  const { form, change, dirty } = useFields(fieldsOf(disk))
  const changes = changesIn(disk, form)
  const body = changes && 'body' in changes ? changes.body : null
  const extra = body ? moreGi(disk, body) - ((disk.next_size_gb ?? disk.size_gb) - disk.size_gb) : 0
  const { refusal } = useQuotaCheck(disk.project_id, { disk_bytes: Math.max(0, extra) * gibibyte })
  const { submit, dialog } = useDialogForm({
    dirty,
    send: (input: DiskUpdate) => mutateAsync({ disk, body: input }),
    done: (changed) =>
      changed.next_size_gb === null
        ? `Disk "${changed.name}" was changed`
        : `Disk "${changed.name}" is being enlarged to ${changed.next_size_gb}Gi`,
    failed: 'Failed to change the disk. Please try again.',
    onClose,
  })
  const fixed =
    reasonOf(unlessLimited(limits.grow_disks)) ??
    reasonOf(diskCan.grow(disk)) ??
    (vm && reasonOf(diskAllowedBy.grow(vm)))
  const broken = changes === null ? 'Nothing has changed.' : 'broken' in changes ? changes.broken : refusal
  return (
    <FormDialog
      {...dialog}
      call="disk.update"
      title="Edit Disk"
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => {
        if (body && !refusal) submit(body)
      }}
      note={broken}
    >
      <Field label="Disk Name">
        <NameInput value={form.name} onChange={({ target }) => change({ name: target.value })} />
      </Field>
      <Field label="Description" optional>
        <TextArea
          value={form.description}
          onChange={({ target }) => change({ description: target.value })}
          maxLength={1000}
          dir="auto"
        />
      </Field>
      <Field
        label="Size"
        hint={
          fixed ??
          'Disks can only be enlarged. A running VM sees the new size at once. Then enlarge the file system in the VM, for example with resize2fs or xfs_growfs.'
        }
      >
        <TextInput
          value={form.size}
          onChange={({ target }) => change({ size: target.value })}
          disabled={fixed !== undefined}
          autoComplete="off"
          maxLength={40}
          className="max-w-50"
        />
      </Field>
    </FormDialog>
  )
}
