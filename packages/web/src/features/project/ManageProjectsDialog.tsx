import { type Project, projectTexts } from '@slipway/contract'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/access.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useVmsOfProjects, type VmsOfProject } from '../../api/vms-of-projects.ts'
import { GuardedDialog } from '../../shell/GuardedDialog.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Status } from '../../ui/Status.tsx'
import { DeleteProject } from './DeleteProject.tsx'
import { ProjectForm } from './ProjectForm.tsx'
import { useLeaveProject } from './use-leave-project.ts'
import { countText, reasonNotCounted } from './vm-count.ts'

export function ManageProjectsDialog({ onClose }: { onClose: () => void }) {
  return (
    <GuardedDialog
      open
      onOpenChange={onClose}
      size="lg"
      title="Manage Projects"
      footer={({ ask }) => <Button onClick={ask}>Close</Button>}
    >
      <ManageProjects />
    </GuardedDialog>
  )
}

function ManageProjects() {
  const { projects, project: active, select } = useSelectedProject()
  const lists = useVmsOfProjects(projects)
  const leaveProject = useLeaveProject()
  // Not in the URL: it names one dialog, and this question lies over another one, in which nothing can appear above it.
  const [deleting, setDeleting] = useState<Project | null>(null)
  return (
    <div className="grid gap-5">
      <section>
        <h3 className="mb-3 text-section">New project</h3>
        <ProjectForm onCreated={() => leaveProject()} />
      </section>
      <section>
        <h3 className="mb-2 text-section">Your projects</h3>
        {projects.length === 0 && <p className="text-ink-3">No projects yet</p>}
        <ul className="divide-y divide-line border-y border-line empty:hidden">
          {lists.map(({ project, list }) => (
            <ProjectRow
              key={project.id}
              project={project}
              list={list}
              active={project.id === active?.id}
              onSelect={() => {
                select(project.id)
                leaveProject()
              }}
              onDelete={() => setDeleting(project)}
            />
          ))}
        </ul>
      </section>
      {deleting && <DeleteProject project={deleting} onClose={() => setDeleting(null)} />}
    </div>
  )
}

interface ProjectRowProps {
  project: Project
  list: VmsOfProject
  active: boolean
  onSelect: () => void
  onDelete: () => void
}

function ProjectRow({ project, list, active, onSelect, onDelete }: ProjectRowProps) {
  const may = useMay(project.id)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2 py-2.5 md:grid-cols-[minmax(0,1fr)_6rem_10rem]">
      <div className="col-span-2 min-w-0 md:col-span-1">
        <p className="font-[550] wrap-anywhere">
          <bdi>{project.name}</bdi>
        </p>
        <p className="text-hint text-ink-3">{countText(list)}</p>
        {list.failed && (
          <Button
            size="sm"
            className="mt-1"
            icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
            onClick={list.retry}
            aria-label={`Try Again: ${project.name}`}
          >
            Try Again
          </Button>
        )}
      </div>
      {active ? (
        <Status word="active" />
      ) : (
        <Button
          size="sm"
          className="justify-self-start phone:h-9"
          onClick={onSelect}
          aria-label={`Make active: ${project.name}`}
        >
          Make active
        </Button>
      )}
      <div className="justify-self-end text-right text-hint text-ink-3">
        {list.vms && list.vms.length > 0 ? (
          projectTexts.hasVms
        ) : (
          <IconButton
            size="sm"
            label={`Delete ${project.name}`}
            icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
            disabledReason={reasonOf(may('project.delete')) ?? reasonNotCounted(list)}
            onClick={onDelete}
          />
        )}
      </div>
    </li>
  )
}
