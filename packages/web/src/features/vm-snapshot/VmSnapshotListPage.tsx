import { isSnapshotUnderWay, type VmSnapshot } from '@slipway/contract'
import { Plus, RefreshCw } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
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
import { snapshotColumns, VmSnapshotRow } from './VmSnapshotRow.tsx'
import { countVmSnapshots, matchesVmSnapshot, statusChoices } from './vm-snapshot-filter.ts'

const snapshotKind = { plural: 'snapshots', isUnderWay: isSnapshotUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { snapshots, loading, error, refreshing, refetch } = useVmSnapshots(projectId)
  useAnnouncedChanges(snapshots, snapshotKind)
  useFlash({ onRefresh: () => void refetch() })

  const [search, setSearch] = useState(useSearchParams()[0].get('search') ?? '')
  const [status, setStatus] = useState('all')
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(
    () => snapshots.filter((snapshot) => matchesVmSnapshot(snapshot, shownSearch, status)).reverse(),
    [snapshots, shownSearch, status],
  )

  const empty = !loading && !error && snapshots.length === 0
  const { total, ready, creating, failed } = countVmSnapshots(snapshots)
  const create = (variant: 'primary' | 'secondary', text: string) => (
    <Button
      variant={variant}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      render={<Link to={paths.snapshotCreate(projectId)} />}
    >
      {text}
    </Button>
  )

  return (
    <>
      <PageHeader
        title="Snapshots"
        description="Saved states of single VMs. A VM can be brought back to each of them, and a new disk made from it."
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
      {loading && <LoadingState text="Loading snapshots..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Snapshots"
          message={errorText(error, 'Failed to load snapshots')}
          onRetry={() => void refetch()}
        />
      )}
      {empty && (
        <EmptyState title="No snapshots found" action={create('primary', 'Create Your First Snapshot')}>
          Get started by creating your first snapshot
        </EmptyState>
      )}
      {snapshots.length > 0 && (
        <>
          <StatRow
            label="Snapshots by status"
            stats={[
              { label: 'Total', value: total },
              { label: 'Ready', value: ready, tone: 'ready' },
              { label: 'Creating', value: creating, tone: 'creating' },
              { label: 'Failed', value: failed, tone: 'failed' },
            ]}
          />
          <FilterBar
            search={{
              value: search,
              onChange: setSearch,
              label: 'Search snapshots',
              placeholder: 'Search by name, VM, VM ID or description',
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
            <SnapshotLedger projectId={projectId} snapshots={shown} />
          ) : (
            <div className="py-8">
              <h2 className="text-empty">No snapshots found</h2>
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
  snapshots: readonly VmSnapshot[]
}

const SnapshotLedger = memo(function SnapshotLedger({ projectId, snapshots }: SnapshotLedgerProps) {
  const { vms, updatedAt } = useVms(projectId)
  const vmById = useMemo(() => new Map(vms.map((vm) => [vm.id, vm])), [vms])
  return (
    <Ledger
      label="Snapshots"
      columns={snapshotColumns}
      items={snapshots}
      nameOf={({ name }) => name}
      row={(snapshot) => (
        <VmSnapshotRow
          snapshot={snapshot}
          // Without a list nobody knows which VMs there are.
          vm={vmById.get(snapshot.vm_id) ?? (updatedAt > 0 ? null : undefined)}
        />
      )}
    />
  )
})
