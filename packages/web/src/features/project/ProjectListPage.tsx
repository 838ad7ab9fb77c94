import { isFoundIn, type Project } from '@slipway/contract'
import { Plus } from 'lucide-react'
import { useSelectedProject } from '../../api/projects.ts'
import { useVmsOfProjects } from '../../api/vms-of-projects.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { NoMatch, SearchBar } from '../../shell/SearchBar.tsx'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { useListSearch } from '../../shell/use-list-search.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { later } from '../../ui/later.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { DeleteProject } from './DeleteProject.tsx'
import { ProjectCard } from './ProjectCard.tsx'
import { projectDialogs } from './project-dialogs.ts'

// Most people have none.
const DeletedProjects = later(async () => (await import('./DeletedProjects.tsx')).DeletedProjects)

const matchesProject = ({ project: { name, description } }: { project: Project }, search: string) =>
  isFoundIn(search, name, description)

export function Component() {
  const { projects, project: active, loading, error, retry, select } = useSelectedProject()
  const lists = useVmsOfProjects(projects)
  const search = useListSearch(lists, matchesProject)
  const openDialog = useOpenDialog()
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
      <SearchBar search={search} plural="projects" by="name or description" />
      {projects.length > 0 && search.found.length === 0 && <NoMatch search={search} noun="project" />}
      <ul className="grid gap-3 md:grid-cols-[repeat(auto-fill,minmax(328px,1fr))] md:gap-4">
        {search.found.map(({ project, list }) => (
          <li key={project.id} className="min-w-0">
            <ProjectCard
              project={project}
              list={list}
              active={project.id === active?.id}
              onSelect={() => select(project.id)}
              onDelete={() => openDialog(projectDialogs.delete, project.id)}
            />
          </li>
        ))}
      </ul>
      {!loading && <DeletedProjects />}
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
