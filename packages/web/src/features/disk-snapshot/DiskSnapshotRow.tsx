import { type Disk, type DiskSnapshot, formatDiskSize } from '@slipway/contract'
import { memo } from 'react'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { SnapshotRow, TakenOf, WithNotes } from '../snapshot/SnapshotRow.tsx'
import { typeText } from '../snapshot/snapshot-words.ts'
import { DiskSnapshotActions } from './DiskSnapshotActions.tsx'

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

interface DiskSnapshotRowProps {
  snapshot: DiskSnapshot
  /** What an incremental one is based on. */
  parent: DiskSnapshot | undefined
  /** The disk it was taken of; null when that is gone, undefined while nobody knows. */
  disk: Disk | null | undefined
}

/** Drawn again only when something it shows changed. */
export const DiskSnapshotRow = memo(function DiskSnapshotRow({
  snapshot,
  parent,
  disk,
}: DiskSnapshotRowProps) {
  return (
    <SnapshotRow
      snapshot={snapshot}
      path={paths.diskSnapshot(snapshot.project_id, snapshot.id)}
      facts={[
        { label: 'Size', value: formatDiskSize(snapshot.size) },
        { label: 'Source Disk', value: <DiskOfSnapshot snapshot={snapshot} disk={disk} /> },
        { label: 'Type', value: <DiskSnapshotType snapshot={snapshot} parent={parent} /> },
        { label: 'Created', value: formatDateTime(snapshot.created_at) },
      ]}
      actions={<DiskSnapshotActions snapshot={snapshot} place="row" />}
    />
  )
})

/** The disk a snapshot was taken of, with its id. */
export function DiskOfSnapshot({ snapshot, disk }: Pick<DiskSnapshotRowProps, 'snapshot' | 'disk'>) {
  return (
    <TakenOf name={snapshot.disk_name} source={disk} path={paths.disk(snapshot.project_id, snapshot.disk_id)}>
      <span className="mono block truncate text-label text-ink-3" title={snapshot.disk_id}>
        {snapshot.disk_id}
      </span>
    </TakenOf>
  )
}

export function DiskSnapshotType({ snapshot, parent }: Pick<DiskSnapshotRowProps, 'snapshot' | 'parent'>) {
  return (
    <WithNotes
      text={typeText(snapshot)}
      notes={[
        snapshot.scheduled !== null && `Scheduled, ${snapshot.scheduled}`,
        parent && (
          <>
            since <bdi>{parent.name}</bdi>
          </>
        ),
      ]}
    />
  )
}
