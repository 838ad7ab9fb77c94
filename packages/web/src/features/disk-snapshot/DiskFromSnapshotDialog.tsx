import { type DiskSnapshot, diskTexts, sizeGbOf } from '@slipway/contract'
import { type FormEvent, useId, useState } from 'react'
import { useDiskFromSnapshot } from '../../api/disk-snapshots.ts'
import { errorDetail } from '../../api/errors.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'

/** Asks for the name of a disk with the content of a snapshot. */
export function DiskFromSnapshotDialog({
  snapshot,
  onClose,
}: {
  snapshot: DiskSnapshot
  onClose: () => void
}) {
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
