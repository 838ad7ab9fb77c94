import { lazy, Suspense } from 'react'
import { useSelectedProject } from '../api/projects.ts'

// Few ever see it.
const FrozenNote = lazy(async () => ({ default: (await import('./FrozenNote.tsx')).FrozenNote }))

/** A note above everything in a project whose owner is deleting their account. */
export function FrozenBanner() {
  const { project } = useSelectedProject({ retryOnMount: false })
  return project?.delete_at ? (
    <Suspense fallback={null}>
      <FrozenNote project={project} deleteAt={project.delete_at} />
    </Suspense>
  ) : null
}
