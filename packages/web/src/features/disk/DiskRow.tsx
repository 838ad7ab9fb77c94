import { type Disk, diskStateOf, formatDiskSize } from '@slipway/contract'
import { memo } from 'react'
import { Link } from 'react-router'
import { useLimits } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { conditionNote } from '../../shell/Condition.tsx'
import { formatDateTime } from '../../time.ts'
import { LedgerRow } from '../../ui/Ledger.tsx'
import { Status } from '../../ui/Status.tsx'
import { DiskActions } from './DiskActions.tsx'
import { detachLimit, diskCondition } from './disk-condition.ts'
import { sourceLabels } from './disk-filter.ts'
import { VmOfDisk } from './VmOfDisk.tsx'

export const diskColumns = [
  { label: 'Name', width: 'minmax(0,1.6fr)' },
  { label: 'Status', width: '7.75rem' },
  { label: 'Size', width: '3.5rem' },
  { label: 'Source', width: '4.5rem' },
  { label: 'Attached VM', width: 'minmax(0,1fr)' },
  { label: 'Created', width: '6.5rem' },
  { label: '', width: '12.5rem' },
]

interface DiskRowProps {
  disk: Disk
  /** Of the VM it is attached to. */
  vmStatus: string | undefined
}

/** Drawn again only when its own disk, or the status of its VM, changed. */
export const DiskRow = memo(function DiskRow({ disk, vmStatus }: DiskRowProps) {
  const { id, project_id, name, description, status_since } = disk
  const status = diskStateOf(disk)
  const limit = detachLimit(disk, vmStatus, useLimits())
  return (
    <LedgerRow
      name={name}
      link={<Link to={paths.disk(project_id, id)} />}
      status={<Status word={status} since={status === 'creating' ? status_since : undefined} />}
      facts={[
        { label: 'Size', value: formatDiskSize(disk.size) },
        { label: 'Source', value: sourceLabels[disk.source] ?? disk.source },
        { label: 'Attached VM', value: <VmOfDisk disk={disk} /> },
        { label: 'Created', value: formatDateTime(disk.created_at), className: 'text-hint/4.5' },
      ]}
      note={conditionNote({
        name,
        status,
        description,
        condition: diskCondition(disk) ?? (limit ? { tone: 'known', reason: limit } : null),
      })}
      actions={<DiskActions disk={disk} vmStatus={vmStatus} place="row" />}
    />
  )
})
