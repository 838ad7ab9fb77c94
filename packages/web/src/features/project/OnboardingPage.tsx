import { Navigate, useNavigate } from 'react-router'
import { useProjects } from '../../api/projects.ts'
import { paths } from '../../paths.ts'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { FirstProject } from './FirstProject.tsx'

/** The first project. Who already has one has no business here. */
export function Component() {
  const navigate = useNavigate()
  const { projects, loading } = useProjects()
  if (loading) return <LoadingState text="Loading projects..." outline="form" />
  if (projects.length > 0) return <Navigate to={paths.home} replace />
  return (
    <>
      <PageHeader
        title="Create your first project"
        description="A project groups virtual machines and what belongs to them."
      />
      <FirstProject onCreated={() => void navigate(paths.home, { replace: true })} />
    </>
  )
}
