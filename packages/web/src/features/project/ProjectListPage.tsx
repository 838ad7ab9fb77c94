import { Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useSelectedProject } from '../../api/projects.ts'
import { useVmsOfProjects } from '../../api/vms-of-projects.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { DeleteProject } from './DeleteProject.tsx'
import { ProjectCard } from './ProjectCard.tsx'
import { projectDialogs } from './project-dialogs.ts'

// The form comes when it is first opened.
const NewProjectDialog = lazy(async () => ({
  default: (await import('./NewProjectDialog.tsx')).NewProjectDialog,
}))

export function Component() {
  const { projects, project: active, loading, error, retry, select } = useSelectedProject()
  const lists = useVmsOfProjects(projects.map(({ id }) => id))
  const openDialog = useOpenDialog()
  const creating = useDialog(projectDialogs.create)
  const empty = !loading && !error && projects.length === 0

  const create = (variant: 'primary' | 'secondary') => (
    <Button
      variant={variant}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      onClick={() => openDialog(projectDialogs.create)}
    >
      Create Project
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Projects"
        description="A project groups virtual machines and what belongs to them. You work in one at a time."
        actions={create(empty ? 'secondary' : 'primary')}
      />
      {loading && <LoadingState text="Loading projects..." outline="cards" />}
      {error && (
        <ErrorState title="Error Loading Projects" message="Failed to load projects." onRetry={retry} />
      )}
      {empty && (
        <EmptyState title="No projects yet" action={create('primary')}>
          Create the first one to start with virtual machines.
        </EmptyState>
      )}
      <ul className="grid gap-3 md:grid-cols-[repeat(auto-fill,minmax(328px,1fr))] md:gap-4">
        {projects.map((project, index) => (
          <li key={project.id} className="min-w-0">
            <ProjectCard
              project={project}
              vms={lists[index]}
              active={project.id === active?.id}
              onSelect={() => select(project.id)}
              onDelete={() => openDialog(projectDialogs.delete, project.id)}
            />
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>
        {creating.open && (
          <NewProjectDialog
            open
            onOpenChange={() => creating.close()}
            onCreated={() => creating.close({ to: paths.home })}
          />
        )}
      </Suspense>
      <ObjectDialogs
        objects={projects}
        loading={loading || error !== null}
        gone="The project no longer exists."
        dialogs={{
          [projectDialogs.delete]: (project, close) => (
            <DeleteProject project={project} onClose={() => close()} />
          ),
        }}
      />
    </>
  )
}
