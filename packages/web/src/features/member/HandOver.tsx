import { Link, useNavigate } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useHandOver, useHandOverAnswers } from '../../api/members.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { toast } from '../../ui/toast.tsx'

const title = 'Hand-over'

/** The member who is asked to take a project over accepts or declines. */
export function HandOver({ projectId }: { projectId: string }) {
  const { user } = useSession()
  const handOver = useHandOver(projectId)
  if (handOver.isPending) {
    return (
      <>
        <PageHeader title={title} />
        <LoadingState text="Loading hand-over..." />
      </>
    )
  }
  if (!handOver.data) {
    return (
      <>
        <PageHeader title={title} />
        <Banner tone="warn">{errorText(handOver.error, 'The hand-over could not be loaded.')}</Banner>
        <Button className="mt-4" render={<Link to={paths.projects} />}>
          View Projects
        </Button>
      </>
    )
  }
  const { project_name, from, to, expires_at, refusal } = handOver.data
  const isAsked = to.id === user?.id
  return (
    <>
      <PageHeader title={title} />
      <p className="max-w-160 wrap-anywhere">
        <bdi>{from.name}</bdi> asks {isAsked ? 'you' : <bdi>{to.name}</bdi>} to become the owner of the
        project <b dir="auto">{project_name}</b>, until {formatDateTime(expires_at)}.
      </p>
      {isAsked ? (
        <>
          <p className="mt-1 max-w-160 text-ink-2">
            The owner also invites and removes members, sets Internet access, and can delete the project or
            hand it over. What is in the project counts toward the limits of your account from then on.{' '}
            <bdi>{from.name}</bdi> becomes an operator. If you decline, nothing changes.
          </p>
          <Answers projectId={projectId} refusal={refusal} />
        </>
      ) : (
        <Button className="mt-4" render={<Link to={paths.members(projectId)} />}>
          View Members
        </Button>
      )}
    </>
  )
}

function Answers({ projectId, refusal }: { projectId: string; refusal: string | null }) {
  const { accept, decline } = useHandOverAnswers(projectId)
  const navigate = useNavigate()
  const error = accept.error ?? decline.error
  const toMembers = (text: string) => () => {
    toast.success(text)
    void navigate(paths.members(projectId), { replace: true })
  }
  return (
    <>
      {refusal !== null && (
        <Banner tone="warn" className="mt-4">
          {refusal}
        </Banner>
      )}
      {error && refusal === null && (
        <Banner tone="error" className="mt-4">
          {errorText(error, 'Your answer could not be sent. Please try again.')}
        </Banner>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        <Button
          variant="primary"
          busy={accept.isPending}
          busyText="Taking over..."
          disabledReason={refusal ?? undefined}
          onClick={() => accept.mutate(undefined, { onSuccess: toMembers('You own this project now') })}
        >
          Take Over Project
        </Button>
        <Button
          busy={decline.isPending}
          busyText="Declining..."
          onClick={() => decline.mutate(undefined, { onSuccess: toMembers('You declined the hand-over') })}
        >
          Decline Hand-over
        </Button>
      </div>
    </>
  )
}
