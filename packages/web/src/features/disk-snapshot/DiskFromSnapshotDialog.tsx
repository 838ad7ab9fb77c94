import { type DiskFromSnapshot, type DiskSnapshot, diskTexts, gibibyte, sizeGbOf } from '@slipway/contract'
import { useState } from 'react'
import { useDiskFromSnapshot, useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Field, NameInput } from '../../ui/Field.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { useQuotaCheck } from '../quota/use-quota-check.ts'

interface DiskFromSnapshotDialogProps {
  snapshot: DiskSnapshot
  onClose: () => void
}

/** Asks for the name of a disk with the content of a snapshot. */
export function DiskFromSnapshotDialog({ snapshot, onClose }: DiskFromSnapshotDialogProps) {
  const create = useDiskFromSnapshot()
  const { project } = useSelectedProject()
  const { snapshots } = useDiskSnapshots(snapshot.project_id)
  const [name, setName] = useState('')
  const [tried, setTried] = useState(false)
  const size_gb = sizeGbOf(snapshot.size)
  const { refusal } = useQuotaCheck(snapshot.project_id, { disk_bytes: size_gb * gibibyte })
  const broken = name.trim() === '' ? diskTexts.nameMissing : undefined
  const { submit, dialog } = useDialogForm({
    dirty: name !== '',
    send: (body: DiskFromSnapshot, idempotencyKey) => create.mutateAsync({ snapshot, body, idempotencyKey }),
    done: (disk) => `New disk "${disk.name}" created from snapshot successfully`,
    failed: 'Failed to create disk from snapshot. Please try again.',
    onClose,
  })
  const toBody = () => ({
    name: name.trim(),
    description: `Created from snapshot: ${snapshot.name}`,
    size_gb,
  })
  const send = () => {
    setTried(true)
    if (broken || refusal) return
    submit(toBody())
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
      note={refusal ?? broken}
      asText={
        <AsText
          call="diskSnapshot.createDisk"
          project={project}
          params={{ diskSnapshotId: snapshot.id }}
          named={snapshots}
          body={toBody}
          missing={broken}
        />
      }
    >
      <Field
        label="Disk Name"
        hint={`The size of the disk will be ${size_gb}Gi.`}
        error={tried ? broken : undefined}
      >
        <NameInput value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
