import { useSelectedProject } from '../api/projects.ts'
import { formatShortDate } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'

/** Says to the members of a project why nothing runs or can be changed in it. */
export function FrozenBanner() {
  const { project } = useSelectedProject({ retryOnMount: false })
  if (!project?.delete_at) return null
  return (
    <Banner tone="warn" className="mb-5">
      <b className="font-semibold">
        <bdi>{project.owner_name}</bdi> is deleting their account.
      </b>{' '}
      Nothing runs or can be changed in <bdi>{project.name}</bdi>, and it is deleted on{' '}
      {formatShortDate(project.delete_at)}, unless they keep the account.
    </Banner>
  )
}
