import { useLive } from '../api/live.ts'
import { useSelectedProject } from '../api/projects.ts'

/** Keeps the pages of a signed-in user up to date. */
export function LiveProject() {
  const { project } = useSelectedProject({ retryOnMount: false })
  useLive(project?.id)
  return null
}
