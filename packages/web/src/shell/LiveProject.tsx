import { useLiveProject } from '../api/live.ts'
import { useSelectedProject } from '../api/projects.ts'

/** Keeps the project that is selected current. A component, so that only those who are signed in load it. */
export function LiveProject() {
  const { project } = useSelectedProject()
  useLiveProject(project?.id)
  return null
}
