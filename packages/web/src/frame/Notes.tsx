import type { Notice, Project } from '@slipway/contract'
import { FrozenNote } from './FrozenNote.tsx'
import { NoticeLine } from './NoticeLine.tsx'

/** What the operator tells everybody, and that the owner of the project is leaving. */
export function Notes({ notice, project }: { notice: Notice | null | undefined; project: Project | null }) {
  return (
    <>
      {notice && <NoticeLine notice={notice} />}
      {project?.delete_at && <FrozenNote project={project} deleteAt={project.delete_at} />}
    </>
  )
}
