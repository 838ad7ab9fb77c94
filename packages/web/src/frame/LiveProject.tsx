import { useLive } from '../api/live.ts'
import { useSelectedProject } from '../api/projects.ts'

/** Keeps what the pages of who is signed in show current. */
export function LiveProject() {
  const { project } = useSelectedProject({ retryOnMount: false })
  useLive(project?.id)
  return null
}
