import { type Disk, isDiskUnderWay } from '@slipway/contract'
import { memo, useDeferredValue, useMemo } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useDisks } from '../../api/disks.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { objectIcons } from '../../shell/object-icons.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useListState } from '../../shell/use-list-state.ts'
import { Button } from '../../ui/Button.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { StatRow } from '../../ui/StatRow.tsx'
import { Selecting } from '../batch/Selecting.tsx'
import { DiskDialogs } from './DiskDialogs.tsx'
import { DiskRow, diskColumns } from './DiskRow.tsx'
import {
  type DiskFilter,
  diskFilterInUrl,
  isActive,
  matchesDisk,
  noFilter,
  sourceLabels,
  summarizeDisks,
} from './disk-filter.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

const diskKind = { plural: 'disks', isUnderWay: isDiskUnderWay }

export function Component() {
  const may = useMay()
  const { projectId = '' } = useParams()
  const { disks, ...list } = useDisks(projectId)
  useAnnouncedChanges(disks, diskKind)
  const [filter, setFilter] = useListState(diskFilterInUrl)
  const shownFilter = useDeferredValue(filter)
  // The newest first: there one looks for what was just created.
  const shown = useMemo(
    () => disks.filter((disk) => matchesDisk(disk, shownFilter)).reverse(),
    [disks, shownFilter],
  )

  return (
    <>
      <ListPage
        title="Disks"
        description="A disk keeps data separate from any VM. You can move it between VMs, and it remains when they are deleted."
        texts={{
          loading: 'Loading disks...',
          failed: 'Failed to load disks',
          none: 'No disks found',
          first: 'Get started by creating your first disk',
        }}
        list={{ ...list, total: disks.length, shown: shown.length }}
        create={{
          call: 'disk.create',
          label: 'Create Disk',
          firstLabel: 'Create Your First Disk',
          to: paths.diskCreate(projectId),
        }}
        moreActions={
          <Button
            icon={<objectIcons.vm {...icon} />}
            disabledReason={reasonOf(may('vm.create'))}
            render={<Link to={paths.templates} />}
          >
            Create VM
          </Button>
        }
        head={
          <>
            <Totals disks={disks} />
            <Filters filter={filter} onChange={setFilter} shown={shown.length} total={disks.length} />
          </>
        }
        items={
          <Selecting kind="disk" all={disks} shown={shown}>
            <DiskLedger projectId={projectId} disks={shown} />
          </Selecting>
        }
      />
      <DiskDialogs disks={disks} loading={list.loading || list.error !== null} />
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

const statusChoices = [
  { value: 'all', label: 'All Status' },
  { value: 'available', label: 'Available' },
  { value: 'attached', label: 'Attached' },
  { value: 'creating', label: 'Creating' },
  { value: 'failed', label: 'Failed' },
]

const sourceChoices = [
  { value: 'all', label: 'All Sources' },
  ...Object.entries(sourceLabels).map(([value, label]) => ({ value, label })),
]

interface FiltersProps {
  filter: DiskFilter
  onChange: (change: Partial<DiskFilter>) => void
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
        onChange: (search) => onChange({ search }),
      }}
      filters={[
        {
          label: 'Status',
          value: filter.status,
          onChange: (value) => onChange({ status: value as DiskFilter['status'] }), // one of the options
          options: statusChoices,
        },
        {
          label: 'Source',
          value: filter.source,
          onChange: (value) => onChange({ source: value as DiskFilter['source'] }),
          options: sourceChoices,
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
