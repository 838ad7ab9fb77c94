import { type ProjectInvitation, type ProjectMember, projectMemberTexts } from '@slipway/contract'
import { LogOut, UserPlus } from 'lucide-react'
import { Link, useNavigate, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useInvitations, useMembers } from '../../api/members.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { InviteDialog, RoleDialog } from './MemberForms.tsx'
import {
  HandOverQuestion,
  LeaveQuestion,
  RemoveQuestion,
  WithdrawHandOverQuestion,
  WithdrawQuestion,
} from './MemberQuestions.tsx'
import { memberDialogs } from './member-dialogs.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

export function Component() {
  const { projectId = '' } = useParams()
  const may = useMay()
  const { user } = useSession()
  const { members, loading, error, retry } = useMembers(projectId)
  const isOwner = may('projectMember.invitations') === true
  const waiting = useInvitations(projectId, isOwner)
  const openDialog = useOpenDialog()
  const inviting = useDialog(memberDialogs.invite)
  const leaving = useDialog(memberDialogs.leave)
  const navigate = useNavigate()
  const own = members.find(({ id }) => id === user?.id)
  return (
    <>
      <PageHeader
        title="Members"
        description="People who share this project, with all that is in it."
        actions={
          <>
            <Button
              icon={<LogOut {...icon} />}
              disabledReason={own?.role === 'owner' ? projectMemberTexts.ownerStays : undefined}
              onClick={() => openDialog(memberDialogs.leave)}
            >
              Leave Project
            </Button>
            <Button
              variant="primary"
              icon={<UserPlus {...icon} />}
              disabledReason={reasonOf(may('projectMember.invite'))}
              onClick={() => openDialog(memberDialogs.invite)}
            >
              Invite Member
            </Button>
          </>
        }
      />
      {loading && <LoadingState text="Loading members..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Members"
          message={errorText(error, 'Failed to load the members.')}
          onRetry={retry}
        />
      )}
      {members.length > 0 && (
        <ul className="sheet divide-y divide-line" aria-label="Members">
          {members.map((member) => (
            <MemberRow key={member.id} projectId={projectId} member={member} isYou={member.id === user?.id} />
          ))}
        </ul>
      )}
      {isOwner && members.length > 0 && (
        <section aria-labelledby="invitations" className="mt-6">
          <h2 id="invitations" className="mb-3 text-section">
            Invitations
          </h2>
          {waiting.error ? (
            <p className="text-dense text-ink-2">
              {errorText(waiting.error, 'Failed to load the invitations.')}{' '}
              <button type="button" className="link" onClick={waiting.retry}>
                Try Again
              </button>
            </p>
          ) : waiting.invitations.length === 0 ? (
            <p className="text-dense text-ink-2">No invitation waits to be accepted.</p>
          ) : (
            <ul className="sheet divide-y divide-line" aria-label="Invitations">
              {waiting.invitations.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} />
              ))}
            </ul>
          )}
        </section>
      )}
      {inviting.open && <InviteDialog projectId={projectId} onClose={() => inviting.close()} />}
      {leaving.open && (
        <LeaveQuestion
          projectId={projectId}
          onClose={() => leaving.close()}
          onLeft={() => void navigate(paths.projects)}
        />
      )}
      <ObjectDialogs
        objects={members}
        loading={loading || error !== null}
        gone="This person is no member any more."
        dialogs={{
          [memberDialogs.role]: (member, done) => (
            <RoleDialog projectId={projectId} member={member} onClose={() => done()} />
          ),
          [memberDialogs.remove]: (member, done) => (
            <RemoveQuestion projectId={projectId} member={member} onClose={() => done()} />
          ),
          [memberDialogs.handOver]: (member, done) => (
            <HandOverQuestion projectId={projectId} member={member} onClose={() => done()} />
          ),
          [memberDialogs.withdrawHandOver]: (member, done) => (
            <WithdrawHandOverQuestion projectId={projectId} member={member} onClose={() => done()} />
          ),
        }}
      />
      <ObjectDialogs
        objects={waiting.invitations}
        loading={false}
        gone="This invitation was accepted or withdrawn."
        dialogs={{
          [memberDialogs.withdraw]: (invitation, done) => (
            <WithdrawQuestion projectId={projectId} invitation={invitation} onClose={() => done()} />
          ),
        }}
      />
    </>
  )
}

const rowClass = 'flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-dense'

interface MemberRowProps {
  projectId: string
  member: ProjectMember
  isYou: boolean
}

function MemberRow({ projectId, member, isYou }: MemberRowProps) {
  const openDialog = useOpenDialog()
  const may = useMay()
  const { id, name, email, role, since, hand_over_until } = member
  const stays = role === 'owner' ? projectMemberTexts.ownerStays : undefined
  return (
    <li className={rowClass}>
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="font-[550] wrap-anywhere">
          <bdi>{name}</bdi>
          {isYou && <span className="font-normal text-ink-2"> (you)</span>}
        </p>
        <p className="text-hint wrap-anywhere text-ink-3">
          <bdi>{email}</bdi>, since {formatDateTime(since)}
        </p>
        {hand_over_until !== null && (
          <p className="mt-1 text-hint wrap-anywhere text-ink-2">
            {isYou ? (
              <>
                You are asked to take over this project, until {formatDateTime(hand_over_until)}.{' '}
                <Link className="link" to={`/invitation?project=${projectId}`}>
                  Accept or Decline
                </Link>
              </>
            ) : (
              <>
                Waiting for <bdi>{name}</bdi> to accept the hand-over, until {formatDateTime(hand_over_until)}
                .
              </>
            )}
          </p>
        )}
      </div>
      <p className="w-20">{role.charAt(0).toUpperCase() + role.slice(1)}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          className="phone:h-10"
          aria-label={`Change role of ${name}`}
          disabledReason={reasonOf(may('projectMember.update')) ?? stays}
          onClick={() => openDialog(memberDialogs.role, id)}
        >
          Change Role
        </Button>
        {hand_over_until === null ? (
          <Button
            size="sm"
            className="phone:h-10"
            aria-label={`Hand over project to ${name}`}
            disabledReason={reasonOf(may('projectMember.handOver')) ?? (stays && 'This is the owner.')}
            onClick={() => openDialog(memberDialogs.handOver, id)}
          >
            Hand Over
          </Button>
        ) : (
          <Button
            size="sm"
            className="phone:h-10"
            aria-label={`Withdraw hand-over to ${name}`}
            disabledReason={reasonOf(may('handOver.withdraw'))}
            onClick={() => openDialog(memberDialogs.withdrawHandOver, id)}
          >
            Withdraw Hand-over
          </Button>
        )}
        <Button
          size="sm"
          className="phone:h-10"
          aria-label={`Remove ${name}`}
          disabledReason={reasonOf(may('projectMember.remove')) ?? stays}
          onClick={() => openDialog(memberDialogs.remove, id)}
        >
          Remove
        </Button>
      </div>
    </li>
  )
}

function InvitationRow({ invitation }: { invitation: ProjectInvitation }) {
  const openDialog = useOpenDialog()
  const { id, email, role, invited_by, expires_at } = invitation
  return (
    <li className={rowClass}>
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="font-[550] wrap-anywhere">
          <bdi>{email}</bdi>
        </p>
        <p className="text-hint wrap-anywhere text-ink-3">
          Invited by <bdi>{invited_by}</bdi>, until {formatDateTime(expires_at)}
        </p>
      </div>
      <p className="w-20">{role.charAt(0).toUpperCase() + role.slice(1)}</p>
      <Button
        size="sm"
        className="phone:h-10"
        aria-label={`Withdraw invitation of ${email}`}
        onClick={() => openDialog(memberDialogs.withdraw, id)}
      >
        Withdraw
      </Button>
    </li>
  )
}
