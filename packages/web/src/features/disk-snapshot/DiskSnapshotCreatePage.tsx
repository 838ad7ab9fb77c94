import {
  type Disk,
  diskCan,
  diskSnapshotRetention,
  diskSnapshotStateOf,
  diskSnapshotTexts,
  diskSnapshotTypeAllowed,
  diskStateOf,
  formatDiskSize,
} from '@slipway/contract'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useCreateDiskSnapshot, useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { useLimits } from '../../api/host.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { paths } from '../../paths.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Banner } from '../../ui/Banner.tsx'
import { AlertDialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Select } from '../../ui/Select.tsx'
import { SnapshotCreation } from '../snapshot/SnapshotCreation.tsx'
import { DiskSummary } from './DiskSummary.tsx'
import { brokenRules, emptyDiskSnapshotForm, possible, toBody } from './disk-snapshot-form.ts'

const texts = {
  title: 'Create Disk Snapshot',
  description: 'A disk snapshot saves the content of a disk, so that you can create new disks from it.',
  back: 'Back to Disk Snapshots',
  loading: 'Loading disks...',
  nameHint: 'Must be unique among the disk snapshots of this project.',
  created: (name: string) => `Disk snapshot "${name}" created successfully!`,
  failed: 'Failed to create disk snapshot. Please try again.',
}

export function Component() {
  const { projectId = '' } = useParams()
  const wantedDiskId = useSearchParams()[0].get('disk') ?? ''
  const { project } = useSelectedProject()
  const list = useDisks(projectId)
  const { disks, loading } = list
  const { snapshots } = useDiskSnapshots(projectId)
  const create = useCreateDiskSnapshot()
  const limits = useLimits()
  const [failure, setFailure] = useState<string | null>(null)
  const { form, change, dirty } = useFields({ ...emptyDiskSnapshotForm, sourceId: wantedDiskId })

  const offered = disks.filter((disk) => diskCan.snapshot(disk) === true)
  const disk = offered.find(({ id }) => id === form.sourceId)
  const parent = snapshots.findLast(
    (snapshot) => snapshot.disk_id === disk?.id && diskSnapshotStateOf(snapshot) === 'ready',
  )
  const chosen = possible({ ...form, sourceId: disk?.id ?? '' }, limits)
  return (
    <>
      <SnapshotCreation
        call="diskSnapshot.create"
        texts={texts}
        form={chosen}
        onChange={change}
        asText={{ named: disks, body: () => toBody(chosen) }}
        dirty={dirty}
        rules={brokenRules(chosen, project?.id)}
        loading={loading}
        send={(sent, idempotencyKey) => create.mutateAsync({ projectId, body: toBody(sent), idempotencyKey })}
        listPath={paths.diskSnapshots(projectId)}
        onFailure={setFailure}
        source={{
          title: 'Disk',
          field: (
            <DiskField
              projectId={projectId}
              list={list}
              offered={offered}
              chosen={disk}
              onChange={(sourceId) => change({ sourceId })}
            />
          ),
        }}
        types={[
          { value: 'full', label: 'Full', description: 'All data on the disk.' },
          {
            value: 'incremental',
            label: 'Incremental',
            description: <IncrementalNote disk={disk} parent={parent?.name} />,
            disabledReason: reasonOf(diskSnapshotTypeAllowed('incremental', limits)),
          },
        ]}
        retention={{
          min: diskSnapshotRetention.min,
          max: diskSnapshotRetention.max,
          fallback: 0,
          hint: diskSnapshotTexts.retentionInvalid,
          more: (
            <Banner tone="info">
              You can keep using the disk while the snapshot is created, but not delete or detach it. New
              disks created from the snapshot are independent copies. The snapshot is deleted automatically
              after the retention period.
            </Banner>
          ),
        }}
      >
        <DiskSummary disk={disk} />
      </SnapshotCreation>
      <AlertDialog open={failure !== null} onClose={() => setFailure(null)} title="Disk snapshot not created">
        {failure}
      </AlertDialog>
    </>
  )
}

interface DiskFieldProps {
  projectId: string
  list: ReturnType<typeof useDisks>
  offered: readonly Disk[]
  chosen: Disk | undefined
  onChange: (diskId: string) => void
}

function DiskField({
  projectId,
  list: { loading, error, refetch },
  offered,
  chosen,
  onChange,
}: DiskFieldProps) {
  return (
    <Field
      label="Select Disk"
      hint={
        // The specification has no message for a failure, but the choice must not be called empty then.
        error ? (
          <button type="button" className="link" onClick={() => void refetch()}>
            Load disks again
          </button>
        ) : (
          !loading &&
          offered.length === 0 && (
            <>
              No disk in this project is available or attached.{' '}
              <Link to={paths.disks(projectId)} className="link">
                View disks
              </Link>
            </>
          )
        )
      }
    >
      <Select
        value={chosen?.id ?? null}
        onValueChange={onChange}
        disabled={offered.length === 0}
        placeholder={loading ? 'Loading disks...' : offered.length > 0 ? 'Choose a disk' : 'No disks'}
        options={offered.map((one) => ({
          value: one.id,
          label: one.name,
          description: `${formatDiskSize(one.size)}, ${attachmentOf(one)}`,
        }))}
      />
    </Field>
  )
}

const attachmentOf = (disk: Disk) =>
  diskStateOf(disk) === 'attached' ? `attached to ${disk.vm_name ?? disk.vm_id}` : 'available'

function IncrementalNote({ disk, parent }: { disk: Disk | undefined; parent: string | undefined }) {
  if (!disk) return 'Changes since the newest ready snapshot of the disk.'
  if (parent === undefined)
    return 'This disk has no ready snapshot to be based on: a full one will be created.'
  return (
    <>
      Changes since <bdi>{parent}</bdi>, the newest ready snapshot of the disk.
    </>
  )
}
