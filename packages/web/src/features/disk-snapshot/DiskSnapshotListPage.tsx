import type { DiskSnapshot } from '@slipway/contract'
import { memo, useMemo } from 'react'
import { useParams } from 'react-router'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { paths } from '../../paths.ts'
import { Ledger } from '../../ui/Ledger.tsx'
import { SnapshotList } from '../snapshot/SnapshotList.tsx'
import { diskSnapshotFilter } from '../snapshot/snapshot-filter.ts'
import { DiskSnapshotDialogs } from './DiskSnapshotDialogs.tsx'
import { DiskSnapshotRow, diskSnapshotColumns } from './DiskSnapshotRow.tsx'
import { familyOf } from './family.ts'
import { useDiskOfSnapshot } from './use-disk-of-snapshot.ts'

export function Component() {
  const { projectId = '' } = useParams()
  const { snapshots, ...list } = useDiskSnapshots(projectId)
  return (
    <>
      <SnapshotList
        kind="disk_snapshot"
        snapshots={snapshots}
        list={list}
        filter={diskSnapshotFilter}
        title="Disk Snapshots"
        noun="disk snapshots"
        texts={{
          loading: 'Loading disk snapshots...',
          failed: 'Failed to load disk snapshots',
          none: 'No disk snapshots found',
          first: 'Get started by creating your first disk snapshot',
        }}
        description="Saved copies of single disks. Create a new disk from any of them."
        placeholder="Search by name, disk, disk ID or description"
        totalLabel="Total Snapshots"
        showFailed={false}
        createCall="diskSnapshot.create"
        createTo={paths.diskSnapshotCreate(projectId)}
        items={(shown) => <Rows projectId={projectId} all={snapshots} shown={shown} />}
      />
      <DiskSnapshotDialogs snapshots={snapshots} loading={list.loading || list.error !== null} />
    </>
  )
}

interface RowsProps {
  projectId: string
  /** Those that are filtered out as well: others are based on them. */
  all: readonly DiskSnapshot[]
  shown: readonly DiskSnapshot[]
}

const Rows = memo(function Rows({ projectId, all, shown }: RowsProps) {
  const diskOf = useDiskOfSnapshot(projectId)
  const relatives = useMemo(() => familyOf(all), [all])
  return (
    <Ledger
      label="Disk snapshots"
      columns={diskSnapshotColumns}
      items={shown}
      nameOf={({ name }) => name}
      row={(snapshot) => (
        <DiskSnapshotRow snapshot={snapshot} disk={diskOf(snapshot)} parent={relatives(snapshot).parent} />
      )}
    />
  )
})
