import { type DiskSnapshot, isSnapshotUnderWay } from '@slipway/contract'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { useParams } from 'react-router'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { paths } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useFlash } from '../../shell/use-flash.ts'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { DiskSnapshotRow, diskSnapshotColumns } from './DiskSnapshotRow.tsx'
import { countDiskSnapshots, matchesDiskSnapshot, statusChoices } from './disk-snapshot-filter.ts'
import { familyOf } from './family.ts'

const snapshotKind = { plural: 'disk snapshots', isUnderWay: isSnapshotUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { snapshots, ...list } = useDiskSnapshots(projectId)
  useAnnouncedChanges(snapshots, snapshotKind)
  useFlash({ onRefresh: () => void list.refetch() })

  const [search, setSearch] = useState('')
  const [status, setStatus] = useState('all')
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(
    () => snapshots.filter((snapshot) => matchesDiskSnapshot(snapshot, shownSearch, status)).reverse(),
    [snapshots, shownSearch, status],
  )

  const { total, ready, creating, failed } = countDiskSnapshots(snapshots)

  return (
    <ListPage
      title="Disk Snapshots"
      description="Saved copies of single disks. New disks can be made from each of them."
      texts={{
        loading: 'Loading disk snapshots...',
        failed: 'Failed to load disk snapshots',
        none: 'No disk snapshots found',
        first: 'Get started by creating your first disk snapshot',
      }}
      list={{ ...list, total: snapshots.length, shown: shown.length }}
      create={{
        label: 'Create Snapshot',
        firstLabel: 'Create Your First Snapshot',
        to: paths.diskSnapshotCreate(projectId),
      }}
      head={
        <>
          <StatRow
            label="Disk snapshots by status"
            stats={[
              { label: 'Total Snapshots', value: total },
              { label: 'Ready', value: ready, tone: 'ready' },
              { label: 'Creating', value: creating, tone: 'creating' },
              failed > 0 && { label: 'Failed', value: failed, tone: 'failed' },
            ]}
          />
          <FilterBar
            search={{
              value: search,
              onChange: setSearch,
              label: 'Search disk snapshots',
              placeholder: 'Search by name, disk, disk ID or description',
            }}
            filters={[{ label: 'Status', value: status, onChange: setStatus, options: statusChoices }]}
            active={search.trim() !== '' || status !== 'all'}
            onClear={() => {
              setSearch('')
              setStatus('all')
            }}
            shown={`Showing ${shown.length} of ${snapshots.length} snapshots`}
          />
        </>
      }
      items={<SnapshotLedger projectId={projectId} all={snapshots} shown={shown} />}
    />
  )
}

interface SnapshotLedgerProps {
  projectId: string
  /** Those that are filtered out as well: others build upon them. */
  all: readonly DiskSnapshot[]
  shown: readonly DiskSnapshot[]
}

const SnapshotLedger = memo(function SnapshotLedger({ projectId, all, shown }: SnapshotLedgerProps) {
  const { disks, updatedAt } = useDisks(projectId)
  const diskById = useMemo(() => new Map(disks.map((disk) => [disk.id, disk])), [disks])
  const relatives = useMemo(() => familyOf(all), [all])
  return (
    <Ledger
      label="Disk snapshots"
      columns={diskSnapshotColumns}
      items={shown}
      nameOf={({ name }) => name}
      row={(snapshot) => (
        <DiskSnapshotRow
          snapshot={snapshot}
          // Without a list nobody knows which disks there are.
          disk={diskById.get(snapshot.disk_id) ?? (updatedAt > 0 ? null : undefined)}
          {...relatives(snapshot)}
        />
      )}
    />
  )
})
