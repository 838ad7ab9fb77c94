import { type ProjectEndpointId, roleMay } from '@slipway/contract'
import { useCallback } from 'react'
import { useMatch } from 'react-router'
import { useProjects } from './projects.ts'

/**
 * Says whether the user may make a call about a project, that of the URL unless another is named: `true`, or the
 * sentence that the server would refuse with. While nobody knows, the server decides. Follows the role live.
 */
export function useMay(projectId?: string): (call: ProjectEndpointId) => true | string {
  const urlId = useMatch('/projects/:projectId/*')?.params.projectId
  const { projects } = useProjects({ retryOnMount: false })
  const role = projects.find(({ id }) => id === (projectId ?? urlId))?.role
  return useCallback((call) => (role ? roleMay(role, call) : true), [role])
}
