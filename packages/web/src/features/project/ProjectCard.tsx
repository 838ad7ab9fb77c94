import { type Project, summarizeVms } from '@slipway/contract'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import type { VmsOfProject } from '../../api/vms-of-projects.ts'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { CardAction, CardFacts, CardFoot } from '../../ui/Card.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Status, StatusGlyph } from '../../ui/Status.tsx'
import { notCountable, reasonNotCounted } from './vm-count.ts'

const recentCount = 3

interface ProjectCardProps {
  project: Project
  list: VmsOfProject
  active: boolean
  onSelect: () => void
  onDelete: () => void
}

/** The whole card is the link to the project's dashboard, but for its VMs and its foot. */
export function ProjectCard({ project, list, active, onSelect, onDelete }: ProjectCardProps) {
  const titleId = useId()
  const may = useMay(project.id)
  return (
    <article
      aria-labelledby={titleId}
      className="sheet relative flex h-full flex-col transition-colors duration-120 hover:border-line-control"
    >
      <div className="px-4 py-3 md:min-h-22">
        <div className="flex items-start gap-3">
          <h2 id={titleId} className="min-w-0 flex-1 text-card wrap-anywhere">
            <Link
              to={paths.home}
              onClick={onSelect}
              dir="auto"
              className="text-ink no-underline after:absolute after:inset-0 after:rounded-sheet focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
            >
              {project.name}
            </Link>
          </h2>
          {active && <Status word="active" />}
        </div>
        <p className="mt-0.5 line-clamp-3 text-dense wrap-anywhere text-ink-2 empty:hidden">
          {project.description && <bdi>{project.description}</bdi>}
        </p>
        <p className="mt-1 text-hint wrap-anywhere text-ink-3">
          Created {formatDateTime(project.created_at)}
          {project.role !== 'owner' && (
            <>
              , shared by <bdi>{project.owner_name}</bdi>. You are {project.role}.
            </>
          )}
        </p>
      </div>
      <CardFacts items={countsOf(list)} />
      <div className="flex-1 px-4 py-2.5">
        <RecentVms list={list} />
      </div>
      <div className="relative">
        <CardFoot>
          {list.vms && list.vms.length > 0 ? (
            <p className="flex min-h-[38px] items-center justify-center text-dense text-ink-3 phone:min-h-[46px]">
              Has VMs
            </p>
          ) : (
            <CardAction
              icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
              disabledReason={reasonOf(may('project.delete')) ?? reasonNotCounted(list)}
              aria-label={`Delete ${project.name}`}
              onClick={onDelete}
            >
              Delete
            </CardAction>
          )}
        </CardFoot>
      </div>
    </article>
  )
}

function countsOf({ vms, failed }: VmsOfProject) {
  const { total, running, stopped, starting } = summarizeVms(vms ?? [])
  const shown = (count: number) =>
    vms ? count : <span className="text-ink-3">{failed ? 'Unknown' : '...'}</span>
  return [
    { label: 'Total', value: shown(total) },
    { label: 'Running', value: shown(running) },
    { label: 'Stopped', value: shown(stopped) },
    { label: 'Starting', value: shown(starting) },
  ]
}

function RecentVms({ list: { vms, failed, retry } }: { list: VmsOfProject }) {
  if (failed) {
    return (
      <div className="grid justify-items-start gap-2 text-dense text-ink-2">
        <p>{notCountable}</p>
        {/* Above the link of the whole card. */}
        <Button
          size="sm"
          className="relative"
          icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
          onClick={retry}
        >
          Try Again
        </Button>
      </div>
    )
  }
  if (!vms) return <p className="text-dense text-ink-3">Loading VMs...</p>
  if (vms.length === 0) return <p className="text-dense text-ink-3">No VMs</p>
  const rest = vms.length - recentCount
  return (
    <ul aria-label="Recent VMs" className="text-dense">
      {vms
        .slice(-recentCount)
        .reverse()
        .map((vm) => (
          <li key={vm.id} className="flex min-h-6 items-center gap-2">
            <StatusGlyph word={vm.status} />
            {/* Above the link of the whole card. */}
            <Link
              to={paths.vm(vm.project_id, vm.id)}
              className="relative min-w-0 truncate text-ink no-underline hover:underline"
              title={vm.name}
              dir="auto"
            >
              {vm.name}
            </Link>
            <span className="sr-only">, {vm.status}</span>
          </li>
        ))}
      {rest > 0 && <li className="pl-5 text-hint text-ink-3">+{rest} more</li>}
    </ul>
  )
}
