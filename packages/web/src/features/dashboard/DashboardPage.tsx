import type { Project } from '@slipway/contract'
import { Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Operations } from '../operation/Operations.tsx'
import { projectDialogs } from '../project/project-dialogs.ts'
import { Overview } from './Overview.tsx'
import { Welcome } from './Welcome.tsx'

const FirstProject = lazy(async () => ({
  default: (await import('../project/FirstProject.tsx')).FirstProject,
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
  const may = useMay(project.id)
  const openDialog = useOpenDialog()
  const welcome = !loading && !error && vms.length === 0
  return (
    <>
      <PageHeader
        title={project.name}
        description={project.description && <bdi className="wrap-anywhere">{project.description}</bdi>}
        actions={
          <>
            <Button
              icon={<objectIcons.project size={16} strokeWidth={1.6} aria-hidden />}
              onClick={() => openDialog(projectDialogs.manage)}
            >
              Manage Projects
            </Button>
            {!welcome && (
              <Button
                variant="primary"
                icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
                disabledReason={reasonOf(may('vm.create'))}
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
    </>
  )
}
