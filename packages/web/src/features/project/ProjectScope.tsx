import { missing } from '@slipway/contract'
import { Link, Outlet, useParams } from 'react-router'
import { useProjects } from '../../api/projects.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

/** Lets the pages of a project through once it is known that the project exists and is the user's. */
export function Component() {
  const { projectId } = useParams()
  const { projects, loading, error, retry } = useProjects()
  // Asked for beside the projects, not after them: the sidebar and most pages show it.
  useVms(projectId)
  if (loading) return <LoadingState text="Loading projects..." />
  if (error) {
    return (
      <>
        <PageHeader title="Projects" />
        <ErrorState title="Error Loading Projects" message="Failed to load projects." onRetry={retry} />
      </>
    )
  }
  // Keyed: nothing typed or chosen in one project may show up in another.
  if (projects.some(({ id }) => id === projectId)) return <Outlet key={projectId} />
  return (
    <>
      <PageHeader title={missing.projectNotFound} />
      <EmptyState
        title="There is no such project"
        action={
          <Button variant="primary" render={<Link to={paths.projects} />}>
            View Projects
          </Button>
        }
      >
        It was deleted, it belongs to somebody else, or the address is wrong.
      </EmptyState>
    </>
  )
}
