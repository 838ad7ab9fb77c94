import { type DiskSnapshot, isSnapshotUnderWay } from '@slipway/contract'
import { Plus, RefreshCw } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useFlash } from '../../shell/use-flash.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { DiskSnapshotRow, diskSnapshotColumns } from './DiskSnapshotRow.tsx'
import { countDiskSnapshots, matchesDiskSnapshot, statusChoices } from './disk-snapshot-filter.ts'
import { familyOf } from './family.ts'

const snapshotKind = { plural: 'disk snapshots', isUnderWay: isSnapshotUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { snapshots, loading, error, refreshing, refetch } = useDiskSnapshots(projectId)
  useAnnouncedChanges(snapshots, snapshotKind)
  useFlash({ onRefresh: () => void refetch() })

  const [search, setSearch] = useState('')
  const [status, setStatus] = useState('all')
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(
    () => snapshots.filter((snapshot) => matchesDiskSnapshot(snapshot, shownSearch, status)).reverse(),
    [snapshots, shownSearch, status],
  )

  const empty = !loading && !error && snapshots.length === 0
  const { total, ready, creating, failed } = countDiskSnapshots(snapshots)
  const create = (variant: 'primary' | 'secondary', text: string) => (
    <Button
      variant={variant}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      render={<Link to={paths.diskSnapshotCreate(projectId)} />}
    >
      {text}
    </Button>
  )

  return (
    <>
      <PageHeader
        title="Disk Snapshots"
        description="Saved copies of single disks. New disks can be made from each of them."
        actions={
          <>
            <Button
              icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
              busy={refreshing}
              busyText="Refreshing..."
              onClick={() => void refetch()}
            >
              Refresh
            </Button>
            {create(empty ? 'secondary' : 'primary', 'Create Snapshot')}
          </>
        }
      />
      {loading && <LoadingState text="Loading disk snapshots..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Disk Snapshots"
          message={errorText(error, 'Failed to load disk snapshots')}
          onRetry={() => void refetch()}
        />
      )}
      {empty && (
        <EmptyState title="No disk snapshots found" action={create('primary', 'Create Your First Snapshot')}>
          Get started by creating your first disk snapshot
        </EmptyState>
      )}
      {snapshots.length > 0 && (
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
          {shown.length > 0 ? (
            <SnapshotLedger projectId={projectId} all={snapshots} shown={shown} />
          ) : (
            <div className="py-8">
              <h2 className="text-empty">No disk snapshots found</h2>
              <p className="mt-1 text-ink-2">Try adjusting your search or filters</p>
            </div>
          )}
        </>
      )}
    </>
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
