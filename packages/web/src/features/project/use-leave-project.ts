import { useMatch, useNavigate } from 'react-router'
import { paths } from '../../paths.ts'

/**
 * Leaves the pages of a project for the dashboard: their URL would select that project again. With an id, only the
 * pages of that project are left.
 */
export function useLeaveProject(): (projectId?: string) => void {
  const navigate = useNavigate()
  const shown = useMatch('/projects/:projectId/*')?.params.projectId
  return (projectId) => {
    if (shown && (!projectId || projectId === shown)) void navigate(paths.home)
  }
}
