import { formatCpu, formatMemory, isTransitional, type Vm } from '@slipway/contract'
import { ArrowDown, ArrowUp, Ellipsis } from 'lucide-react'
import { memo, useMemo } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { useListState } from '../../shell/use-list-state.ts'
import { formatDateTime } from '../../time.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Ledger, LedgerRow } from '../../ui/Ledger.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Select } from '../../ui/Select.tsx'
import { Status } from '../../ui/Status.tsx'
import { Tags } from './Tags.tsx'
import { Address } from './VmCard.tsx'
import { useVmActions, vmMenu } from './vm-actions.tsx'
import { keyOfSort, type Sort, type SortKey, sortAfter, sortVms, viewSpec } from './vm-order.ts'

const columns: readonly { label: string; width: string; sort?: SortKey }[] = [
  { label: 'Name', width: 'minmax(0,1.6fr)', sort: 'name' },
  { label: 'Status', width: '7.75rem', sort: 'status' },
  { label: 'Template', width: 'minmax(0,1fr)', sort: 'template' },
  { label: 'CPU', width: '4.5rem', sort: 'cpu' },
  { label: 'RAM', width: '4.5rem', sort: 'memory' },
  { label: 'IP Address', width: '9.5rem' },
  { label: 'Created', width: '6.5rem', sort: 'created' },
  { label: '', width: '2.5rem' },
]

const orders: readonly { value: Sort; label: string }[] = [
  { value: 'created', label: 'Oldest first' },
  { value: '-created', label: 'Newest first' },
  { value: 'name', label: 'Name' },
  { value: 'status', label: 'Status' },
  { value: 'template', label: 'Template' },
  { value: '-cpu', label: 'Most CPU' },
  { value: '-memory', label: 'Most memory' },
]

/** VMs as rows, in the order that was chosen. */
export function VmTable({ vms }: { vms: readonly Vm[] }) {
  const [{ sort }, change] = useListState(viewSpec)
  const sorted = useMemo(() => sortVms(vms, sort), [vms, sort])
  const known = orders.some(({ value }) => value === sort)
  return (
    <>
      {/* Where rows are cards, no column has a head. */}
      <div className="mb-3 max-w-48 lg:hidden">
        <Select
          label="Order"
          value={known ? sort : keyOfSort(sort)}
          onValueChange={(value) => change({ sort: value as Sort })} // one of the orders
          options={orders}
        />
      </div>
      <Ledger
        label="Virtual machines"
        columns={columns.map(({ label, width, sort: key }) => ({
          label,
          width,
          ...(key && { head: <Head label={label} by={key} sort={sort} onSort={change} /> }),
        }))}
        items={sorted}
        nameOf={({ name }) => name}
        row={(vm) => <VmRow vm={vm} />}
      />
    </>
  )
}

interface HeadProps {
  label: string
  by: SortKey
  sort: Sort
  onSort: (change: { sort: Sort }) => void
}

function Head({ label, by, sort, onSort }: HeadProps) {
  const isChosen = keyOfSort(sort) === by
  const Arrow = sort.startsWith('-') ? ArrowDown : ArrowUp
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-label={`Order by ${label}${isChosen ? (sort.startsWith('-') ? ', descending' : ', ascending') : ''}`}
      onClick={() => onSort({ sort: sortAfter(sort, by) })}
      className="flex items-center gap-1 rounded-check hover:text-ink aria-pressed:text-ink"
    >
      {label}
      {isChosen && <Arrow size={12} strokeWidth={1.8} aria-hidden />}
    </button>
  )
}

/** Drawn again only when its own VM changed. */
const VmRow = memo(function VmRow({ vm }: { vm: Vm }) {
  const actions = useVmActions(vm)
  return (
    <LedgerRow
      name={vm.name}
      link={<Link to={paths.vm(vm.project_id, vm.id)} />}
      status={<Status word={vm.status} since={isTransitional(vm) ? vm.status_since : undefined} />}
      facts={[
        { label: 'Template', value: vm.template_name },
        { label: 'CPU', value: formatCpu(vm.cpu) },
        { label: 'RAM', value: formatMemory(vm.memory_mb) },
        { label: 'IP Address', value: <Address vm={vm} />, className: '[&_dd]:flex [&_dd]:gap-1' },
        { label: 'Created', value: formatDateTime(vm.created_at), className: 'text-hint/4.5' },
      ]}
      note={vm.tags.length > 0 && <Tags vm={vm} />}
      actions={
        <Menu
          label={`Actions for ${vm.name}`}
          trigger={
            <IconButton
              size="sm"
              label={`More actions for ${vm.name}`}
              icon={<Ellipsis size={16} strokeWidth={1.6} aria-hidden />}
            />
          }
          items={vmMenu(vm, actions, [actions.power, actions.console])}
        />
      }
    />
  )
})
