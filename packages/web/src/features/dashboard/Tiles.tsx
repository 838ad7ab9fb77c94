import { isTransitional, summarizeVms, type Vm } from '@slipway/contract'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { cx } from '../../ui/cx.ts'

/** How many there are of what a project holds, each with the way to its list. */
export function Tiles({ projectId, vms }: { projectId: string; vms: Vm[] }) {
  return (
    <ul className="mb-6 grid grid-cols-2 gap-3 md:gap-4 lg:grid-cols-4">
      <VmTile projectId={projectId} vms={vms} />
      <PoolTile projectId={projectId} />
      <SetTile projectId={projectId} />
      <StorageTile projectId={projectId} />
    </ul>
  )
}

/** A link that takes the clicks of the whole tile around it. */
const wholeTile =
  'no-underline after:absolute after:inset-0 after:rounded-sheet focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent'

function TileTitle({ icon: Icon, to, children }: { icon: LucideIcon; to: string; children: string }) {
  return (
    <h2 className="flex items-center gap-2 text-hint text-ink-2">
      <Icon size={15} strokeWidth={1.6} aria-hidden className="flex-none" />
      <Link to={to} className={cx('text-ink-2 hover:text-ink', wholeTile)}>
        {children}
      </Link>
    </h2>
  )
}

interface TileProps {
  icon: LucideIcon
  title: string
  to: string
  value: ReactNode
  note: string | undefined
  children?: ReactNode
}

function Tile({ icon, title, to, value, note, children }: TileProps) {
  return (
    <li className="sheet relative px-4 pt-3 pb-3.5 hover:border-line-control">
      <TileTitle icon={icon} to={to}>
        {title}
      </TileTitle>
      <p className="mt-1 flex flex-wrap items-baseline gap-x-2 text-stat">
        {value}
        <span className="text-hint font-normal tracking-normal text-ink-3">{note}</span>
      </p>
      {children}
    </li>
  )
}

function VmTile({ projectId, vms }: { projectId: string; vms: Vm[] }) {
  const { total, running } = summarizeVms(vms)
  return (
    <Tile
      icon={objectIcons.vm}
      title="Virtual Machines"
      to={paths.vms(projectId)}
      value={total}
      note={`${running} active`}
    >
      <Composition vms={vms} />
    </Tile>
  )
}

const vmCount = (count: number) => `${count} ${count === 1 ? 'VM' : 'VMs'}`

function PoolTile({ projectId }: { projectId: string }) {
  const { pools, ...list } = useVmPools(projectId)
  const members = pools.reduce((sum, { current_size }) => sum + current_size, 0)
  return (
    <Tile
      icon={objectIcons.vm_pool}
      title="VM Pools"
      to={paths.vmPools(projectId)}
      {...counted(list, pools.length, vmCount(members))}
    />
  )
}

function SetTile({ projectId }: { projectId: string }) {
  const { sets, ...list } = useVmSets(projectId)
  const members = sets.reduce((sum, { vm_stats }) => sum + vm_stats.total_vms, 0)
  return (
    <Tile
      icon={objectIcons.vm_set}
      title="VM Sets"
      to={paths.vmSets(projectId)}
      {...counted(list, sets.length, vmCount(members))}
    />
  )
}

function StorageTile({ projectId }: { projectId: string }) {
  const { disks, ...list } = useDisks(projectId)
  const gigabytes = disks.reduce((sum, { size_gb }) => sum + size_gb, 0)
  const note = `${disks.length === 1 ? 'disk' : 'disks'}, ${gigabytes}Gi`
  return (
    <Tile
      icon={objectIcons.disk}
      title="Storage"
      to={paths.disks(projectId)}
      {...counted(list, disks.length, note)}
    />
  )
}

/** A count of a list with its note, once it is loaded; one that could not be loaded has no count, least of all 0. */
function counted(
  { loading, error }: { loading: boolean; error: Error | null },
  count: number,
  note: string,
): { value: ReactNode; note: string | undefined } {
  if (loading) return { value: <span className="text-ink-3">...</span>, note: undefined }
  if (error) {
    // Small: large type is for numbers.
    const value = <span className="text-section font-normal tracking-normal text-ink-2">Unknown</span>
    return { value, note: 'Failed to load' }
  }
  return { value: count, note }
}

/** Running, changing, resting and broken VMs as parts of one bar; the numbers stand in text elsewhere. */
function Composition({ vms }: { vms: readonly Vm[] }) {
  const count = (test: (vm: Vm) => boolean) => vms.filter(test).length
  const parts = [
    { color: 'bg-ok-mark', count: count((vm) => vm.status === 'running') },
    { color: 'bg-busy-mark', count: count((vm) => isTransitional(vm)) },
    { color: 'bg-ink-3', count: count((vm) => vm.status === 'stopped' || vm.status === 'suspended') },
    { color: 'bg-bad-mark', count: count((vm) => vm.status === 'failed' || vm.status === 'error') },
  ]
  return (
    <div aria-hidden="true" className="mt-2.5 flex h-1 gap-0.5">
      {parts.map(
        ({ color, count }) =>
          count > 0 && <i key={color} className={color} style={{ flex: `${count} 1 0` }} />,
      )}
    </div>
  )
}
