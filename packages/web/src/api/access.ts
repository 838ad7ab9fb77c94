import { mayWhileFrozen, type ProjectEndpointId, roleMay, routeOf } from '@slipway/contract'
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
  const project = projects.find(({ id }) => id === (projectId ?? urlId))
  const role = project?.role
  const isFrozen = Boolean(project?.delete_at)
  return useCallback(
    (call) => {
      const verdict = role ? roleMay(role, call) : true
      return isFrozen && verdict === true
        ? mayWhileFrozen({ id: call, method: routeOf(call).method })
        : verdict
    },
    [role, isFrozen],
  )
}
