import { lazy, Suspense } from 'react'
import { useHost } from '../api/host.ts'
import { useSelectedProject } from '../api/projects.ts'

const Notes = lazy(async () => ({ default: (await import('./Notes.tsx')).Notes }))

/** What few ever see above a page: it is loaded when there is something to say. */
export function RareNotes() {
  const notice = useHost()?.notice
  const { project } = useSelectedProject({ retryOnMount: false })
  return notice || project?.delete_at ? (
    <Suspense fallback={null}>
      <Notes notice={notice} project={project} />
    </Suspense>
  ) : null
}
