import { isTransitional, summarizeVms, type Vm } from '@slipway/contract'
import { Plus } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useVmUsagePoll } from '../../api/usage-now.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { searchFrom } from '../../shell/use-list-search.ts'
import { useListState } from '../../shell/use-list-state.ts'
import { formatClock } from '../../time.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { later } from '../../ui/later.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Segments } from '../../ui/Segments.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { Selecting } from '../batch/Selecting.tsx'
import { VmDialogs } from './VmDialogs.tsx'
import { VmGrid } from './VmGrid.tsx'
import { isActive, matchesVm, noFilter, tagsOf, type VmFilter, vmFilterInUrl } from './vm-filter.ts'
import { rememberedView, rememberView } from './vm-list-view.ts'

// Most people look at cards.
const VmTable = later(async () => (await import('./VmTable.tsx')).VmTable)

const viewOptions = [
  { value: 'cards', label: 'Cards' },
  { value: 'table', label: 'Table' },
] as const

const vmKind = { plural: 'VMs', isUnderWay: isTransitional }

export function Component() {
  const { projectId } = useParams()
  const may = useMay()
  const { vms, loading, updatedAt, polling } = useVms(projectId)
  useAnnouncedChanges(vms, vmKind)
  useVmUsagePoll(vms.find(({ status }) => status === 'running')?.project_id)
  const [filter, setFilter] = useListState(vmFilterInUrl)
  // With many VMs the list lags behind what is typed.
  const shownFilter = useDeferredValue(filter)
  const shown = useMemo(
    () => (isActive(shownFilter) ? vms.filter((vm) => matchesVm(vm, shownFilter)) : vms),
    [vms, shownFilter],
  )
  const [view, setView] = useState(rememberedView)

  const create = (variant: 'primary' | 'secondary') => (
    <Button
      variant={variant}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      disabledReason={reasonOf(may('vm.create'))}
      render={<Link to={paths.templates} />}
    >
      Create VM
    </Button>
  )
  const empty = !loading && vms.length === 0

  return (
    <>
      <PageHeader
        title="Virtual Machines"
        meta={
          <>
            {polling && (
              <span className="flex items-center gap-1.5">
                <Arc className="text-busy-mark" />
                Auto-refresh every 5 s
              </span>
            )}
            {updatedAt > 0 && (
              <span>
                Last updated <time className="mono ml-0.5">{formatClock(updatedAt)}</time>
              </span>
            )}
          </>
        }
        actions={
          <>
            {vms.length > 0 && (
              <Segments
                label="View"
                value={view}
                onValueChange={(next) => {
                  rememberView(next)
                  setView(next)
                }}
                options={viewOptions}
              />
            )}
            {create(empty ? 'secondary' : 'primary')}
          </>
        }
      />
      {loading && <LoadingState text="Loading VMs..." outline="cards" />}
      {empty && (
        <EmptyState title="No Virtual Machines Yet" action={create('primary')}>
          A VM is a machine of your own with root access over SSH. Choose a template to create one.
        </EmptyState>
      )}
      {vms.length > 0 && (
        <>
          <Totals vms={vms} />
          {(vms.length >= searchFrom || isActive(filter)) && (
            <Filters vms={vms} filter={filter} onChange={setFilter} shown={shown.length} />
          )}
          <Selecting kind="vm" all={vms} shown={shown}>
            {shown.length === 0 ? (
              <p className="py-8 text-ink-2 wrap-anywhere">{noMatch(shownFilter)}</p>
            ) : view === 'table' ? (
              <VmTable vms={shown} />
            ) : (
              <VmGrid vms={shown} likelyHeight={likelyCardHeight} />
            )}
          </Selecting>
        </>
      )}
      <VmDialogs vms={vms} loading={loading} />
    </>
  )
}

const Totals = memo(function Totals({ vms }: { vms: Vm[] }) {
  const { total, running, suspended, stopped, starting } = summarizeVms(vms)
  return (
    <StatRow
      label="Virtual machines by status"
      stats={[
        { label: 'Total', value: total },
        { label: 'Running', value: running, tone: 'running' },
        suspended > 0 && { label: 'Suspended', value: suspended, tone: 'suspended' },
        { label: 'Stopped', value: stopped, tone: 'stopped' },
        starting > 0 && { label: 'Provisioning', value: starting, tone: 'provisioning' },
      ]}
    />
  )
})

const statusChoices = [
  { value: 'all', label: 'All Status' },
  { value: 'running', label: 'Running' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'stopped', label: 'Stopped' },
  { value: 'provisioning', label: 'Provisioning' },
  { value: 'failed', label: 'Failed' },
]

interface FiltersProps {
  vms: readonly Vm[]
  filter: VmFilter
  onChange: (change: Partial<VmFilter>) => void
  shown: number
}

function Filters({ vms, filter, onChange, shown }: FiltersProps) {
  const tags = useMemo(() => tagsOf(vms, filter.tag), [vms, filter.tag])
  return (
    <FilterBar
      search={{
        label: 'Search VMs',
        placeholder: 'Search by name, tag, note, template or status',
        value: filter.search,
        onChange: (search) => onChange({ search }),
      }}
      filters={[
        {
          label: 'Status',
          value: filter.status,
          onChange: (value) => onChange({ status: value as VmFilter['status'] }), // one of the options
          options: statusChoices,
        },
        ...(tags.length === 0
          ? []
          : [
              {
                label: 'Tag',
                value: filter.tag,
                onChange: (tag: string) => onChange({ tag }),
                options: [
                  { value: '', label: 'All Tags' },
                  ...tags.map((tag) => ({ value: tag, label: tag })),
                ],
              },
            ]),
      ]}
      active={isActive(filter)}
      onClear={() => onChange(noFilter)}
      shown={`Showing ${shown} of ${vms.length} VMs`}
    />
  )
}

/** In place of the VMs when none is meant. */
const noMatch = ({ search, status, tag }: VmFilter): string =>
  status === 'all' && tag === '' ? `No VM matches "${search.trim()}".` : 'No VM matches these filters.'

const likelyCardHeight = () => 310
