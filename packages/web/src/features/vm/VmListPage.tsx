import { isTransitional, summarizeVms, type Vm } from '@slipway/contract'
import { Plus } from 'lucide-react'
import { memo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useVmUsagePoll } from '../../api/usage-now.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { NoMatch, SearchBar } from '../../shell/SearchBar.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useListSearch } from '../../shell/use-list-search.ts'
import { formatClock } from '../../time.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { later } from '../../ui/later.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Segments } from '../../ui/Segments.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { Selecting } from '../batch/Selecting.tsx'
import { VmDialogs } from './VmDialogs.tsx'
import { VmGrid } from './VmGrid.tsx'
import { rememberedView, rememberView } from './vm-list-view.ts'
import { matchesVm } from './vm-search.ts'

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
  const search = useListSearch(vms, matchesVm)
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
          <SearchBar search={search} plural="VMs" by="name, tag, note, template or status" />
          <Selecting kind="vm" all={vms} shown={search.found}>
            {search.found.length === 0 ? (
              <NoMatch search={search} noun="VM" />
            ) : view === 'table' ? (
              <VmTable vms={search.found} />
            ) : (
              <VmGrid vms={search.found} likelyHeight={likelyCardHeight} />
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

const likelyCardHeight = () => 310
