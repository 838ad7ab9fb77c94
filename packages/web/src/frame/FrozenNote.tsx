import type { Project } from '@slipway/contract'
import { formatShortDate } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'

/** Says to the members of a project why nothing runs or can be changed in it, and until when. */
export function FrozenNote({ project, deleteAt }: { project: Project; deleteAt: string }) {
  return (
    <Banner tone="warn" className="mb-5">
      <b className="font-semibold">
        <bdi>{project.owner_name}</bdi> is deleting their account.
      </b>{' '}
      Nothing runs or can be changed in <bdi>{project.name}</bdi>, and it is deleted on{' '}
      {formatShortDate(deleteAt)}, unless they keep the account.
    </Banner>
  )
}
