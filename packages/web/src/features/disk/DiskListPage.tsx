import { type Disk, isDiskUnderWay } from '@slipway/contract'
import { Plus, RefreshCw, Server } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { DiskRow, diskColumns } from './DiskRow.tsx'
import {
  type DiskFilter,
  isActive,
  matchesDisk,
  noFilter,
  sourceLabels,
  summarizeDisks,
} from './disk-filter.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

const diskKind = { plural: 'disks', isUnderWay: isDiskUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { disks, loading, error, refreshing, refetch } = useDisks(projectId)
  useAnnouncedChanges(disks, diskKind)
  const [filter, setFilter] = useState(noFilter)
  const shownFilter = useDeferredValue(filter)
  // The newest first: there one looks for what was just created.
  const shown = useMemo(
    () => disks.filter((disk) => matchesDisk(disk, shownFilter)).reverse(),
    [disks, shownFilter],
  )
  const empty = !loading && !error && disks.length === 0

  return (
    <>
      <PageHeader
        title="Disks"
        description="A disk holds data apart from any VM. It can go from one VM to another, and outlives them."
        actions={
          <>
            <Button
              icon={<RefreshCw {...icon} />}
              busy={refreshing}
              busyText="Refreshing..."
              onClick={() => void refetch()}
            >
              Refresh
            </Button>
            <Button icon={<Server {...icon} />} render={<Link to={paths.templates} />}>
              Create VM
            </Button>
            <Button
              variant={empty ? 'secondary' : 'primary'}
              icon={<Plus {...icon} />}
              render={<Link to={paths.diskCreate(projectId)} />}
            >
              Create Disk
            </Button>
          </>
        }
      />
      {loading && <LoadingState text="Loading disks..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Disks"
          message={errorText(error, 'Failed to load disks')}
          onRetry={() => void refetch()}
        />
      )}
      {empty && (
        <EmptyState
          title="No disks found"
          action={
            <Button
              variant="primary"
              icon={<Plus {...icon} />}
              render={<Link to={paths.diskCreate(projectId)} />}
            >
              Create Your First Disk
            </Button>
          }
        >
          Get started by creating your first disk
        </EmptyState>
      )}
      {disks.length > 0 && (
        <>
          <Totals disks={disks} />
          <Filters filter={filter} onChange={setFilter} shown={shown.length} total={disks.length} />
          {shown.length > 0 ? (
            <DiskLedger projectId={projectId} disks={shown} />
          ) : (
            <div className="py-8">
              <h2 className="text-empty">No disks found</h2>
              <p className="mt-1 text-ink-2">Try adjusting your search or filters</p>
            </div>
          )}
        </>
      )}
    </>
  )
}

const Totals = memo(function Totals({ disks }: { disks: readonly Disk[] }) {
  const { total, available, attached, creating, failed } = summarizeDisks(disks)
  return (
    <StatRow
      label="Disks by status"
      stats={[
        { label: 'Total', value: total },
        { label: 'Available', value: available, tone: 'available' },
        { label: 'Attached', value: attached, tone: 'attached' },
        { label: 'Creating', value: creating, tone: 'creating' },
        failed > 0 && { label: 'Failed', value: failed, tone: 'failed' },
      ]}
    />
  )
})

interface FiltersProps {
  filter: DiskFilter
  onChange: (filter: DiskFilter) => void
  shown: number
  total: number
}

function Filters({ filter, onChange, shown, total }: FiltersProps) {
  const active = isActive(filter)
  return (
    <FilterBar
      search={{
        label: 'Search disks',
        placeholder: 'Search by name, source or VM ID',
        value: filter.search,
        onChange: (search) => onChange({ ...filter, search }),
      }}
      filters={[
        {
          label: 'Status',
          value: filter.status,
          onChange: (status) => onChange({ ...filter, status }),
          options: [
            { value: 'all', label: 'All Status' },
            { value: 'available', label: 'Available' },
            { value: 'attached', label: 'Attached' },
            { value: 'creating', label: 'Creating' },
            { value: 'failed', label: 'Failed' },
          ],
        },
        {
          label: 'Source',
          value: filter.source,
          onChange: (source) => onChange({ ...filter, source }),
          options: [
            { value: 'all', label: 'All Sources' },
            ...Object.entries(sourceLabels).map(([value, label]) => ({ value, label })),
          ],
        },
      ]}
      active={active}
      onClear={() => onChange(noFilter)}
      shown={active ? `Showing ${shown} of ${total} disks` : undefined}
    />
  )
}

const DiskLedger = memo(function DiskLedger({ projectId, disks }: { projectId: string; disks: Disk[] }) {
  const { vms } = useVms(projectId)
  const statuses = useMemo(() => new Map(vms.map(({ id, status }) => [id, status])), [vms])
  return (
    <Ledger
      label="Disks"
      columns={diskColumns}
      items={disks}
      nameOf={({ name }) => name}
      row={(disk) => <DiskRow disk={disk} vmStatus={statuses.get(disk.vm_id ?? '')} />}
    />
  )
})
