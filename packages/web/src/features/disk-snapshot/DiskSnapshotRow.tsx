import {
  type Disk,
  type DiskSnapshot,
  diskSnapshotStateOf,
  formatDiskSize,
  formatSnapshotSize,
  snapshotCan,
} from '@slipway/contract'
import { HardDrive, Trash2 } from 'lucide-react'
import { memo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { LedgerRow } from '../../ui/Ledger.tsx'
import { Status } from '../../ui/Status.tsx'
import { snapshotNote } from '../vm-snapshot/snapshot-note.tsx'
import { daysText, diskConsistency } from '../vm-snapshot/snapshot-words.ts'
import { CreateDiskDialog, DeleteDialog } from './disk-snapshot-dialogs.tsx'

/** The columns of the rows below. */
export const diskSnapshotColumns = [
  { label: 'Name', width: 'minmax(0,1.5fr)' },
  { label: 'Status', width: '7.5rem' },
  { label: 'Size', width: '3.5rem' },
  { label: 'Source Disk', width: 'minmax(0,1fr)' },
  { label: 'Type', width: '7.5rem' },
  { label: 'Created', width: '6.5rem' },
  { label: '', width: '9.25rem' },
] as const

const reasonOf = (allowed: true | string) => (allowed === true ? undefined : allowed)

interface DiskSnapshotRowProps {
  snapshot: DiskSnapshot
  /** What an incremental one builds upon. */
  parent: DiskSnapshot | undefined
  /** The incremental ones that build upon it. */
  heirs: readonly DiskSnapshot[]
  /** The disk it was taken of; null when that is gone, undefined while nobody knows. */
  disk: Disk | null | undefined
}

/** Drawn again only when something it shows changed. */
export const DiskSnapshotRow = memo(function DiskSnapshotRow(props: DiskSnapshotRowProps) {
  const { snapshot, heirs, disk } = props
  const [open, setOpen] = useState<'create' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const creating = diskSnapshotStateOf(snapshot) === 'creating'
  return (
    <>
      <LedgerRow
        name={snapshot.name}
        status={<Status word={snapshot.status} since={creating ? snapshot.status_since : undefined} />}
        facts={[
          { label: 'Size', value: formatDiskSize(snapshot.size) },
          { label: 'Source Disk', value: <SourceDisk snapshot={snapshot} disk={disk} /> },
          { label: 'Type', value: <Type {...props} /> },
          { label: 'Created', value: formatDateTime(snapshot.created_at) },
        ]}
        note={snapshotNote(snapshot)}
        details={detailsOf(props)}
        actions={
          <>
            <Button
              size="sm"
              className="phone:h-9"
              icon={<HardDrive size={14} strokeWidth={1.6} aria-hidden />}
              disabledReason={reasonOf(snapshotCan.createDisk(snapshot))}
              aria-label={`Create Disk from ${snapshot.name}`}
              onClick={() => setOpen('create')}
            >
              Create Disk
            </Button>
            <IconButton
              size="sm"
              label={`Delete ${snapshot.name}`}
              icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
              disabledReason={reasonOf(snapshotCan.delete(snapshot))}
              onClick={() => setOpen('delete')}
            />
          </>
        }
      />
      {open === 'create' && <CreateDiskDialog snapshot={snapshot} onClose={close} />}
      {open === 'delete' && <DeleteDialog snapshot={snapshot} heirs={heirs} onClose={close} />}
    </>
  )
})

function SourceDisk({ snapshot, disk }: Pick<DiskSnapshotRowProps, 'snapshot' | 'disk'>) {
  return (
    <>
      {disk ? (
        <Link
          to={paths.disks(snapshot.project_id)}
          className="link line-clamp-2"
          dir="auto"
          title={disk.name}
        >
          {disk.name}
        </Link>
      ) : (
        <>
          <bdi>{snapshot.disk_name}</bdi>
          {disk === null && <span className="text-ink-3"> (deleted)</span>}
        </>
      )}
      <span className="mono block truncate text-label text-ink-3" title={snapshot.disk_id}>
        {snapshot.disk_id}
      </span>
    </>
  )
}

function Type({ snapshot, parent }: DiskSnapshotRowProps) {
  if (snapshot.snapshot_type === 'full') return 'Full'
  return (
    <>
      Incremental
      {parent && (
        <span className="block text-label text-ink-3">
          since <bdi>{parent.name}</bdi>
        </span>
      )}
    </>
  )
}

function detailsOf({ snapshot, parent, heirs }: DiskSnapshotRowProps) {
  const { description, consistency, stored_mb, retention_days, expires_at } = snapshot
  return [
    ...(description ? [{ label: 'Description', value: <bdi>{description}</bdi> }] : []),
    ...(consistency ? [{ label: 'Holds', value: diskConsistency[consistency].long }] : []),
    { label: 'Builds upon', value: buildsUpon(snapshot, parent) },
    ...(heirs.length > 0
      ? [{ label: 'Built upon by', value: heirs.map(({ name }) => name).join(', ') }]
      : []),
    { label: 'Room it takes', value: formatSnapshotSize(stored_mb) },
    {
      label: 'Retention',
      value: `${daysText(retention_days)}, until ${formatDateTime(expires_at)}`,
    },
    { label: 'Disk ID', value: <span className="mono">{snapshot.disk_id}</span> },
    { label: 'ID', value: <span className="mono">{snapshot.id}</span> },
  ]
}

function buildsUpon({ parent_id }: DiskSnapshot, parent: DiskSnapshot | undefined) {
  if (parent) return <bdi>{parent.name}</bdi>
  return parent_id === null ? 'Nothing: it stands by itself' : <span className="mono">{parent_id}</span>
}
