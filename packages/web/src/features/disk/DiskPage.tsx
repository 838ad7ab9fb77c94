import {
  type Disk,
  diskStateOf,
  formatDiskSize,
  isDiskUnderWay,
  isReceivingFile,
  missing,
} from '@slipway/contract'
import { type ReactNode, useMemo } from 'react'
import { useParams } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { useLimits } from '../../api/host.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { ConditionBanner } from '../../shell/Condition.tsx'
import { ObjectPage } from '../../shell/ObjectPage.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { later } from '../../ui/later.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Rows, Sheet } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { ObjectActivity } from '../activity/ObjectActivity.tsx'
import { CancelButton } from '../operation/CancelButton.tsx'
import { DiskActions } from './DiskActions.tsx'
import { DiskDialogs } from './DiskDialogs.tsx'
import { detachLimit, diskCondition } from './disk-condition.ts'
import { creationOf } from './disk-dialogs.ts'
import { sourceLabels } from './disk-filter.ts'
import { SnapshotsOfDisk } from './SnapshotsOfDisk.tsx'
import { VmOfDisk } from './VmOfDisk.tsx'

const UploadPanel = later(async () => (await import('../upload/UploadPanel.tsx')).UploadPanel)

const diskKind = { plural: 'disks', isUnderWay: isDiskUnderWay }

const texts = {
  title: 'Disk',
  loading: 'Loading disk...',
  errorTitle: 'Error Loading Disk',
  failed: 'Failed to load the disk. Please try again.',
  gone: missing.diskNotFound,
  goneTitle: 'This disk does not exist',
}

export function Component() {
  const { projectId = '', diskId } = useParams()
  const { disks, ...list } = useDisks(projectId)
  const disk = disks.find(({ id }) => id === diskId)
  const back = { to: paths.disks(projectId), label: 'Disks' }
  return (
    <>
      <ObjectPage object={disk} list={list} back={back} texts={texts}>
        {(shown) => <DiskView key={shown.id} disk={shown} />}
      </ObjectPage>
      <DiskDialogs disks={disks} loading={list.loading || list.error !== null} afterDelete={back.to} />
    </>
  )
}

function DiskView({ disk }: { disk: Disk }) {
  useAnnouncedChanges(
    useMemo(() => [disk], [disk]),
    diskKind,
  )
  const { vms } = useVms(disk.project_id)
  const vmStatus = vms.find(({ id }) => id === disk.vm_id)?.status
  const limit = detachLimit(disk, vmStatus, useLimits())
  const isReceiving = isReceivingFile(disk)
  const state = diskStateOf(disk)
  const word = state.charAt(0).toUpperCase() + state.slice(1)
  return (
    <>
      <PageHeader
        title={disk.name}
        description={disk.description && <bdi className="wrap-anywhere">{disk.description}</bdi>}
        actions={<DiskActions disk={disk} vmStatus={vmStatus} place="page" />}
      />
      {isReceiving ? (
        <UploadPanel disk={disk} />
      ) : (
        <ConditionBanner
          word={word}
          condition={diskCondition(disk)}
          actions={state === 'creating' && <CancelButton operation={creationOf(disk)} />}
        />
      )}
      {limit && (
        <Banner tone="info" className="mb-4">
          {limit}
        </Banner>
      )}
      <Sheet aria-label="Facts" className="mb-6">
        {isDiskUnderWay(disk) && !isReceiving && (
          <WorkTrack label={`${disk.name}: ${state}`} value={disk.progress ?? undefined} />
        )}
        <Cells items={factsOf(disk)} />
      </Sheet>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_336px]">
        <div className="grid min-w-0 gap-6">
          <Sheet title="Details" aria-label="Details">
            <Rows items={detailsOf(disk)} />
          </Sheet>
          <ObjectActivity object={disk} noun="disk" />
        </div>
        <SnapshotsOfDisk disk={disk} />
      </div>
    </>
  )
}

function factsOf(disk: Disk): { label: string; value: ReactNode }[] {
  const state = diskStateOf(disk)
  return [
    {
      label: 'Status',
      value: <Status word={state} since={isDiskUnderWay(disk) ? disk.status_since : undefined} />,
    },
    { label: 'Attached VM', value: <VmOfDisk disk={disk} /> },
    {
      label: 'Size',
      value:
        disk.next_size_gb === null
          ? formatDiskSize(disk.size)
          : `${formatDiskSize(disk.size)}, being enlarged to ${disk.next_size_gb}Gi`,
    },
    { label: 'Type', value: disk.disk_type === 'standard' ? 'Standard' : disk.disk_type },
    { label: 'Source', value: sourceLabels[disk.source] ?? disk.source },
    { label: 'Created', value: formatDateTime(disk.created_at) },
    { label: 'In this state since', value: formatDateTime(disk.status_since) },
    { label: 'When its VM is deleted', value: disk.deleted_with_vm ? 'Deleted as well' : 'Kept' },
  ]
}

function detailsOf(disk: Disk): { label: string; value: ReactNode }[] {
  return [
    ...(disk.image_url
      ? [{ label: 'Image', value: <CopyLine text={disk.image_url} label="Copy URL of the image" /> }]
      : []),
    ...(disk.image_sha256
      ? [{ label: 'SHA-256', value: <CopyLine text={disk.image_sha256} label="Copy SHA-256 of the image" /> }]
      : []),
    ...(disk.vm_id !== null
      ? [{ label: 'VM ID', value: <CopyLine text={disk.vm_id} label="Copy VM ID" /> }]
      : []),
    { label: 'ID', value: <CopyLine text={disk.id} label="Copy ID" /> },
  ]
}
