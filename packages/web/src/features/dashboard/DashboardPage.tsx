import {
  isComing,
  isFailedDisk,
  isTransitional,
  type Project,
  summarizeVms,
  type Vm,
} from '@slipway/contract'
import { Copy, FolderKanban, HardDrive, type LucideIcon, Plus, Scaling, Server } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { Link } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useVmUsagePoll } from '../../api/usage.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { Status, StatusGlyph } from '../../ui/Status.tsx'
import { Operations } from '../operation/Operations.tsx'
import { ProjectUsage } from '../usage/ProjectUsage.tsx'
import { VmSparkline } from '../usage/VmSparkline.tsx'
import { needsAttention, recentVms } from './dashboard-lists.ts'

const FirstProject = lazy(async () => ({
  default: (await import('../project/FirstProject.tsx')).FirstProject,
}))
const ManageProjectsDialog = lazy(async () => ({
  default: (await import('../project/ManageProjectsDialog.tsx')).ManageProjectsDialog,
}))

export function Component() {
  const { project, loading, error, retry } = useSelectedProject()
  if (loading) return <LoadingState text="Loading projects..." outline="cards" />
  if (error) {
    return (
      <>
        <PageHeader title="Dashboard" />
        <ErrorState title="Error Loading Projects" message="Failed to load projects." onRetry={retry} />
      </>
    )
  }
  return project ? <ProjectDashboard project={project} /> : <NoProject />
}

function NoProject() {
  return (
    <>
      <PageHeader
        title="No Projects Found"
        description="A project groups virtual machines and what belongs to them. Create your first one to begin."
      />
      <Suspense fallback={<LoadingState text="Loading..." outline="form" />}>
        <FirstProject />
      </Suspense>
    </>
  )
}

function ProjectDashboard({ project }: { project: Project }) {
  const { vms, loading, error, retry } = useVms(project.id)
  const [managing, setManaging] = useState<boolean | null>(null)
  const welcome = !loading && !error && vms.length === 0
  return (
    <>
      <PageHeader
        title={project.name}
        description={project.description && <bdi className="wrap-anywhere">{project.description}</bdi>}
        actions={
          <>
            <Button
              icon={<FolderKanban size={16} strokeWidth={1.6} aria-hidden />}
              onClick={() => setManaging(true)}
            >
              Manage Projects
            </Button>
            {!welcome && (
              <Button
                variant="primary"
                icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
                render={<Link to={paths.templates} />}
              >
                Create VM
              </Button>
            )}
          </>
        }
      />
      {loading && <LoadingState text="Loading VMs..." outline="cards" />}
      {!loading && <Operations projectId={project.id} className="mb-6" />}
      {error && (
        <ErrorState
          title="Error Loading VMs"
          message={errorText(error, 'Failed to load VMs. Please try again.')}
          onRetry={retry}
        />
      )}
      {welcome && <Welcome projectId={project.id} />}
      {vms.length > 0 && <Overview project={project} vms={vms} />}
      {managing !== null && (
        <Suspense fallback={null}>
          <ManageProjectsDialog open={managing} onOpenChange={setManaging} />
        </Suspense>
      )}
    </>
  )
}

/** A link that takes the clicks of the whole tile around it. */
const wholeTile =
  'no-underline after:absolute after:inset-0 after:rounded-sheet focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent'

function Welcome({ projectId }: { projectId: string }) {
  return (
    <section aria-labelledby="welcome">
      <h2 id="welcome" className="mb-3 text-section">
        What do you want to run?
      </h2>
      <ul className="grid gap-3 md:grid-cols-[repeat(auto-fill,minmax(280px,1fr))] md:gap-4">
        <Choice
          icon={Server}
          title="Single VMs"
          text="One machine with root access over SSH, made from a template."
          create={{ label: 'Create VM', to: paths.create() }}
          primary
        />
        <Choice
          icon={Scaling}
          title="VM Pools"
          text="A group of equal VMs that grows and shrinks with its load."
          create={{ label: 'Create Pool', to: paths.vmPoolCreate(projectId) }}
        />
        <Choice
          icon={Copy}
          title="VM Sets"
          text="A fixed number of equal VMs, kept at that number."
          create={{ label: 'Create Set', to: paths.vmSetCreate(projectId) }}
        />
      </ul>
    </section>
  )
}

interface ChoiceProps {
  icon: LucideIcon
  title: string
  text: string
  create: { label: string; to: string }
  primary?: boolean
}

function Choice({ icon: Icon, title, text, create, primary = false }: ChoiceProps) {
  return (
    <li className="sheet flex min-h-44 flex-col items-start px-5 py-4.5">
      <h3 className="flex items-center gap-2 text-card">
        <Icon size={16} strokeWidth={1.6} aria-hidden className="flex-none text-ink-2" />
        {title}
      </h3>
      <p className="mt-1 mb-4 text-ink-2">{text}</p>
      <Button
        variant={primary ? 'primary' : 'secondary'}
        icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
        render={<Link to={create.to} />}
        className="mt-auto"
      >
        {create.label}
      </Button>
    </li>
  )
}

const isBroken = ({ status }: { status: string }) => status.toLowerCase() === 'error'

function Overview({ project, vms }: { project: Project; vms: Vm[] }) {
  const { pools } = useVmPools(project.id)
  const { sets } = useVmSets(project.id)
  const { disks } = useDisks(project.id)
  const { running } = summarizeVms(vms)
  useVmUsagePoll(running > 0 ? project.id : undefined)
  const attention = [
    ...needsAttention(vms).map((vm) => troubleOf(vm, 'VM', paths.vm(project.id, vm.id))),
    ...pools.filter(isBroken).map((pool) => troubleOf(pool, 'VM pool', paths.vmPool(project.id, pool.id))),
    ...sets.filter(isBroken).map((set) => troubleOf(set, 'VM set', paths.vmSet(project.id, set.id))),
    ...disks.filter(isFailedDisk).map((disk) => troubleOf(disk, 'Disk', paths.disk(project.id, disk.id))),
  ]
  return (
    <>
      <ul className="mb-6 grid grid-cols-2 gap-3 md:gap-4 lg:grid-cols-4">
        <VmTile project={project} vms={vms} />
        <PoolTile projectId={project.id} />
        <SetTile projectId={project.id} />
        <StorageTile projectId={project.id} />
      </ul>
      <ProjectUsage projectId={project.id} running={running} />
      <div
        className={cx(
          'grid grid-cols-[minmax(0,1fr)] items-start gap-6',
          attention.length > 0 && 'lg:grid-cols-[minmax(0,1fr)_300px]',
        )}
      >
        {attention.length > 0 && <NeedsAttention troubles={attention} className="lg:order-last" />}
        <RecentVms project={project} vms={recentVms(vms)} />
      </div>
    </>
  )
}

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

function VmTile({ project, vms }: { project: Project; vms: Vm[] }) {
  const { total, running } = summarizeVms(vms)
  return (
    <Tile
      icon={Server}
      title="Virtual Machines"
      to={paths.vms(project.id)}
      value={total}
      note={`${running} active`}
    >
      <Composition vms={vms} />
    </Tile>
  )
}

const counting = <span className="text-ink-3">...</span>
const vmCount = (count: number) => `${count} ${count === 1 ? 'VM' : 'VMs'}`

function PoolTile({ projectId }: { projectId: string }) {
  const { pools, loading } = useVmPools(projectId)
  const members = pools.reduce((sum, { current_size }) => sum + current_size, 0)
  return (
    <Tile
      icon={Scaling}
      title="VM Pools"
      to={paths.vmPools(projectId)}
      value={loading ? counting : pools.length}
      note={loading ? undefined : vmCount(members)}
    />
  )
}

function SetTile({ projectId }: { projectId: string }) {
  const { sets, loading } = useVmSets(projectId)
  const members = sets.reduce((sum, { vm_stats }) => sum + vm_stats.total_vms, 0)
  return (
    <Tile
      icon={Copy}
      title="VM Sets"
      to={paths.vmSets(projectId)}
      value={loading ? counting : sets.length}
      note={loading ? undefined : vmCount(members)}
    />
  )
}

function StorageTile({ projectId }: { projectId: string }) {
  const { disks, loading } = useDisks(projectId)
  const gigabytes = disks.reduce((sum, { size_gb }) => sum + size_gb, 0)
  return (
    <Tile
      icon={HardDrive}
      title="Storage"
      to={paths.disks(projectId)}
      value={loading ? counting : disks.length}
      note={loading ? undefined : `${disks.length === 1 ? 'disk' : 'disks'}, ${gigabytes}Gi`}
    />
  )
}

/** Running, on their way, stopped and broken VMs as parts of one bar; the numbers stand in text elsewhere. */
function Composition({ vms }: { vms: Vm[] }) {
  const count = (test: (vm: Vm) => boolean) => vms.filter(test).length
  const parts = [
    { color: 'bg-ok-mark', count: count((vm) => vm.status === 'running') },
    { color: 'bg-busy-mark', count: count((vm) => isComing(vm) || vm.status === 'stopping') },
    { color: 'bg-ink-3', count: count((vm) => vm.status === 'stopped') },
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

function RecentVms({ project, vms }: { project: Project; vms: Vm[] }) {
  return (
    <Sheet
      title="Recent Virtual Machines"
      actions={
        <Link
          to={paths.vms(project.id)}
          className="text-dense font-medium text-accent no-underline hover:underline"
        >
          View all
        </Link>
      }
    >
      <ul className="@container divide-y divide-line">
        {vms.map((vm) => (
          <RecentVm key={vm.id} vm={vm} />
        ))}
      </ul>
    </Sheet>
  )
}

function RecentVm({ vm }: { vm: Vm }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 @min-[600px]:grid-cols-[minmax(0,1fr)_9.5rem_10.5rem_auto] @min-[760px]:grid-cols-[minmax(0,1fr)_9.5rem_7rem_10.5rem_auto]">
      <div className="min-w-0">
        <p className="truncate font-[550]" title={vm.name}>
          <Link
            to={paths.vm(vm.project_id, vm.id)}
            className="text-ink no-underline hover:underline"
            dir="auto"
          >
            {vm.name}
          </Link>
        </p>
        <p className="truncate text-hint text-ink-3">{vm.template_name}</p>
        {isTransitional(vm) && vm.status_message && (
          <p className="text-hint wrap-anywhere text-ink-2">{vm.status_message}</p>
        )}
      </div>
      <Status
        word={vm.status}
        since={isTransitional(vm) ? vm.status_since : undefined}
        className="self-start justify-self-end @min-[600px]:self-center @min-[600px]:justify-self-start"
      />
      <span className="hidden @min-[760px]:block">
        <VmSparkline vm={vm} />
      </span>
      <p className="text-dense text-ink-2">
        <span className="sr-only">Created </span>
        {formatDateTime(vm.created_at)}
      </p>
      <Link
        to={paths.vm(vm.project_id, vm.id)}
        className="justify-self-end py-2 text-dense font-medium whitespace-nowrap text-accent no-underline hover:underline"
      >
        View Details<span className="sr-only"> of {vm.name}</span>
      </Link>
    </li>
  )
}

interface Trouble {
  id: string
  name: string
  status: string
  to: string
  /** What is wrong, and why. */
  text: string
}

function troubleOf(
  { id, name, status, status_message }: Omit<Trouble, 'to' | 'text'> & { status_message: string | null },
  kind: string,
  to: string,
): Trouble {
  return { id, name, status, to, text: `${kind} ${status}. ${status_message ?? ''}` }
}

function NeedsAttention({ troubles, className }: { troubles: Trouble[]; className?: string }) {
  const titleId = useId()
  return (
    <Sheet
      title={<span id={titleId}>Needs attention</span>}
      aria-labelledby={titleId}
      actions={<span className="text-ink-3">{troubles.length}</span>}
      className={className}
    >
      <ul className="max-h-96 divide-y divide-line overflow-y-auto">
        {troubles.map(({ id, name, status, to, text }) => (
          <li key={id} className="flex gap-2.5 px-4 pt-[11px] pb-3 text-hint text-ink-2">
            <StatusGlyph word={status} className="mt-1" />
            <div className="min-w-0 wrap-anywhere">
              <Link
                to={to}
                className="text-dense font-[550] text-ink no-underline hover:underline"
                dir="auto"
              >
                {name}
              </Link>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
