import { type DiskSnapshot, diskTexts, sizeGbOf } from '@slipway/contract'
import { type FormEvent, useId, useState } from 'react'
import { useDeleteDiskSnapshot, useDiskFromSnapshot } from '../../api/disk-snapshots.ts'
import { errorDetail } from '../../api/errors.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'

interface DeleteDialogProps {
  snapshot: DiskSnapshot
  /** The incremental ones that build upon it. */
  heirs: readonly DiskSnapshot[]
  onClose: () => void
}

export function DeleteDialog({ snapshot, heirs, onClose }: DeleteDialogProps) {
  const removal = useDeleteDiskSnapshot()
  // By the promise: callbacks of `mutate` are lost when the row goes with its snapshot.
  const run = () =>
    void removal
      .mutateAsync(snapshot)
      .then(
        () => toast.success(`Disk snapshot "${snapshot.name}" deleted successfully`),
        (error) =>
          toast.error('Failed to delete disk snapshot. Please try again.', { detail: errorDetail(error) }),
      )
      .finally(onClose)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Disk Snapshot"
      confirmLabel="Delete Disk Snapshot"
      busyLabel="Deleting..."
      busy={removal.isPending}
      onConfirm={run}
      focusAfter={() => document.getElementById('main')}
    >
      <p>
        Are you sure you want to delete disk snapshot "
        <b>
          <bdi>{snapshot.name}</bdi>
        </b>
        "? Disks made from it are kept. This action cannot be undone.
      </p>
      {heirs.map(({ id, name }) => (
        <p key={id} className="mt-2">
          "<bdi>{name}</bdi>" builds upon it and keeps everything.
        </p>
      ))}
    </ConfirmDialog>
  )
}

export function CreateDiskDialog({ snapshot, onClose }: { snapshot: DiskSnapshot; onClose: () => void }) {
  const formId = useId()
  const create = useDiskFromSnapshot()
  const [name, setName] = useState('')
  const [told, setTold] = useState(false)
  const broken = name.trim() === '' ? diskTexts.nameMissing : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (create.isPending) return
    setTold(true)
    if (broken) return
    const body = {
      name: name.trim(),
      description: `Created from snapshot: ${snapshot.name}`,
      size_gb: sizeGbOf(snapshot.size),
    }
    create.mutateAsync({ snapshot, body }, { onSuccess: onClose }).then(
      (disk) => toast.success(`New disk "${disk.name}" created from snapshot successfully`),
      (error) =>
        toast.error('Failed to create disk from snapshot. Please try again.', { detail: errorDetail(error) }),
    )
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !create.isPending && onClose()}
      title="Create Disk from Snapshot"
      description={
        <>
          The new disk holds what was on <bdi>{snapshot.disk_name}</bdi> when <bdi>{snapshot.name}</bdi> was
          taken, and is independent of both.
        </>
      }
      footer={
        <>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={create.isPending}
            busyText="Creating..."
            disabledReason={broken}
          >
            Create Disk
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <Field
          label="Disk Name"
          hint={`It will be ${sizeGbOf(snapshot.size)}Gi large.`}
          error={told ? broken : undefined}
        >
          <TextInput
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => {
              // Also while the button is disabled: then the broken rule is said.
              if (event.key !== 'Enter') return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
            autoComplete="off"
            maxLength={100}
            dir="auto"
          />
        </Field>
      </form>
    </Dialog>
  )
}
