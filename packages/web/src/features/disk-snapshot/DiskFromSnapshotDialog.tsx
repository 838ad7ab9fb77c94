import { type DiskFromSnapshot, type DiskSnapshot, diskTexts, sizeGbOf } from '@slipway/contract'
import { useState } from 'react'
import { useDiskFromSnapshot } from '../../api/disk-snapshots.ts'
import { errorDetail, errorText } from '../../api/errors.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Field, TextInput } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'

const failed = 'Failed to create disk from snapshot. Please try again.'

interface DiskFromSnapshotDialogProps {
  snapshot: DiskSnapshot
  onClose: () => void
}

/** Asks for the name of a disk with the content of a snapshot. */
export function DiskFromSnapshotDialog({ snapshot, onClose }: DiskFromSnapshotDialogProps) {
  const create = useDiskFromSnapshot()
  const [name, setName] = useState('')
  const [tried, setTried] = useState(false)
  const broken = name.trim() === '' ? diskTexts.nameMissing : undefined
  const shell = useFormShell({
    dirty: name !== '',
    send: (body: DiskFromSnapshot, idempotencyKey) => create.mutateAsync({ snapshot, body, idempotencyKey }),
    failureText: (error) => errorText(error, failed),
  })
  const submit = () => {
    setTried(true)
    if (broken) return
    const body = {
      name: name.trim(),
      description: `Created from snapshot: ${snapshot.name}`,
      size_gb: sizeGbOf(snapshot.size),
    }
    void shell.submit(body, {
      onSuccess: (disk) => {
        toast.success(`New disk "${disk.name}" created from snapshot successfully`)
        onClose()
      },
      onFailure: (error) => toast.error(failed, { detail: errorDetail(error) }),
    })
  }
  return (
    <FormDialog
      open
      onOpenChange={() => onClose()}
      title="Create Disk from Snapshot"
      description={
        <>
          The new disk has the content that <bdi>{snapshot.disk_name}</bdi> had when{' '}
          <bdi>{snapshot.name}</bdi> was taken, and is independent of both.
        </>
      }
      submit={{ label: 'Create Disk', busyText: 'Creating...' }}
      onSubmit={submit}
      pending={shell.pending}
      note={broken}
      error={shell.error}
      errorSaid
    >
      <Field
        label="Disk Name"
        hint={`The size of the disk will be ${sizeGbOf(snapshot.size)}Gi.`}
        error={tried ? broken : undefined}
      >
        <TextInput
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
          maxLength={100}
          dir="auto"
        />
      </Field>
    </FormDialog>
  )
}
