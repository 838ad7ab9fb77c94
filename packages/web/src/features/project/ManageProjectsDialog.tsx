import { type Project, projectTexts, summarizeVms, type Vm } from '@slipway/contract'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSelectedProject } from '../../api/projects.ts'
import { useVmsOfProjects } from '../../api/vms-of-projects.ts'
import { GuardedDialog } from '../../shell/GuardedDialog.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Status } from '../../ui/Status.tsx'
import { DeleteProject, notCounted } from './DeleteProject.tsx'
import { ProjectForm } from './ProjectForm.tsx'
import { useLeaveProject } from './use-leave-project.ts'

interface ManageProjectsDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function ManageProjectsDialog({ open, onOpenChange }: ManageProjectsDialogProps) {
  return (
    <GuardedDialog
      open={open}
      onOpenChange={onOpenChange}
      size="lg"
      title="Manage Projects"
      footer={<Button onClick={() => onOpenChange(false)}>Close</Button>}
    >
      <ManageProjects />
    </GuardedDialog>
  )
}

function ManageProjects() {
  const { projects, project: active, select } = useSelectedProject()
  const lists = useVmsOfProjects(projects.map(({ id }) => id))
  const leaveProject = useLeaveProject()
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
          {projects.map((project, index) => (
            <ProjectRow
              key={project.id}
              project={project}
              vms={lists[index]}
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
  /** Undefined while they are loading. */
  vms: Vm[] | undefined
  active: boolean
  onSelect: () => void
  onDelete: () => void
}

function ProjectRow({ project, vms, active, onSelect, onDelete }: ProjectRowProps) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2 py-2.5 md:grid-cols-[minmax(0,1fr)_6rem_10rem]">
      <div className="col-span-2 min-w-0 md:col-span-1">
        <p className="font-[550] wrap-anywhere">
          <bdi>{project.name}</bdi>
        </p>
        <p className="text-hint text-ink-3">{vms ? countText(vms) : 'Counting VMs...'}</p>
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
        {vms && vms.length > 0 ? (
          projectTexts.hasVms
        ) : (
          <IconButton
            size="sm"
            label={`Delete ${project.name}`}
            icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
            disabledReason={vms ? undefined : notCounted}
            onClick={onDelete}
          />
        )}
      </div>
    </li>
  )
}

function countText(vms: Vm[]): string {
  const { total, running } = summarizeVms(vms)
  if (total === 0) return 'No VMs'
  return `${total} ${total === 1 ? 'VM' : 'VMs'}, ${running} running`
}
