import { useMatch, useNavigate } from 'react-router'
import { paths } from '../../paths.ts'

/** Leaves the pages of a project for the dashboard: their URL would select that project again. */
export function useLeaveProject(): () => void {
  const navigate = useNavigate()
  const inProject = useMatch('/projects/:projectId/*')
  return () => {
    if (inProject) void navigate(paths.home)
  }
}
