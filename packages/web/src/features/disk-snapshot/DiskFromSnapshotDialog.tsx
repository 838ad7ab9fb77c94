import { type DiskFromSnapshot, type DiskSnapshot, diskTexts, sizeGbOf } from '@slipway/contract'
import { useState } from 'react'
import { useDiskFromSnapshot } from '../../api/disk-snapshots.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Field, NameInput } from '../../ui/Field.tsx'

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
  const { submit, dialog } = useDialogForm({
    dirty: name !== '',
    send: (body: DiskFromSnapshot, idempotencyKey) => create.mutateAsync({ snapshot, body, idempotencyKey }),
    done: (disk) => `New disk "${disk.name}" created from snapshot successfully`,
    failed: 'Failed to create disk from snapshot. Please try again.',
    onClose,
  })
  const send = () => {
    setTried(true)
    if (broken) return
    submit({
      name: name.trim(),
      description: `Created from snapshot: ${snapshot.name}`,
      size_gb: sizeGbOf(snapshot.size),
    })
  }
  return (
    <FormDialog
      call="diskSnapshot.createDisk"
      {...dialog}
      title="Create Disk from Snapshot"
      description={
        <>
          The new disk has the content that <bdi>{snapshot.disk_name}</bdi> had when{' '}
          <bdi>{snapshot.name}</bdi> was taken, and is independent of both.
        </>
      }
      submit={{ label: 'Create Disk', busyText: 'Creating...' }}
      onSubmit={send}
      note={broken}
    >
      <Field
        label="Disk Name"
        hint={`The size of the disk will be ${sizeGbOf(snapshot.size)}Gi.`}
        error={tried ? broken : undefined}
      >
        <NameInput value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
