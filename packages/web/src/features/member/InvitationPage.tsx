import { projectMemberTexts, roleTexts } from '@slipway/contract'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useAcceptInvitation, useOffer } from '../../api/members.ts'
import { paths } from '../../paths.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { HandOver } from './HandOver.tsx'

/** Where links of invitations and of hand-overs lead. */
export function Component() {
  const query = useSearchParams()[0]
  const projectId = query.get('project')
  return projectId === null ? (
    <Invitation token={query.get('token') ?? ''} />
  ) : (
    <HandOver projectId={projectId} />
  )
}

/** Shows what an invitation is for, and accepts it. */
function Invitation({ token }: { token: string }) {
  const offer = useOffer(token)
  const accept = useAcceptInvitation()
  const navigate = useNavigate()
  if (token !== '' && offer.isPending) {
    return (
      <>
        <PageHeader title="Invitation" />
        <LoadingState text="Loading invitation..." />
      </>
    )
  }
  if (!offer.data) {
    return (
      <>
        <PageHeader title="Invitation" />
        <Banner tone="warn">
          {token === ''
            ? projectMemberTexts.invitationOver
            : errorText(offer.error, 'The invitation could not be loaded.')}
        </Banner>
        <Button className="mt-4" render={<Link to={paths.projects} />}>
          View Projects
        </Button>
      </>
    )
  }
  const { project_name, role, invited_by } = offer.data
  return (
    <>
      <PageHeader title="Invitation" />
      <p className="max-w-160 wrap-anywhere">
        <bdi>{invited_by}</bdi> invites you to the project <b dir="auto">{project_name}</b> as {role}.
      </p>
      <p className="mt-1 max-w-160 text-ink-2">{roleTexts[role]}</p>
      {accept.error && (
        <Banner tone="error" className="mt-4">
          {errorText(accept.error, 'The invitation could not be accepted. Please try again.')}
        </Banner>
      )}
      <Button
        className="mt-4"
        variant="primary"
        busy={accept.isPending}
        busyText="Joining..."
        onClick={() =>
          accept.mutate(token, {
            onSuccess: (project) => void navigate(paths.vms(project.id), { replace: true }),
          })
        }
      >
        Join Project
      </Button>
    </>
  )
}
