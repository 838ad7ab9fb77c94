import {
  handOverDays,
  type ProjectEndpointId,
  type ProjectInvitation,
  type ProjectMember,
} from '@slipway/contract'
import type { ReactNode } from 'react'
import { useMemberActs } from '../../api/members.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'

interface QuestionProps {
  call: ProjectEndpointId
  title: string
  busyLabel: string
  act: () => Promise<unknown>
  done: string
  failed: string
  onClose: () => void
  onDone?: () => void
  children: ReactNode
}

function Question({ call, title, busyLabel, act, done, failed, onClose, onDone, children }: QuestionProps) {
  const confirmed = useConfirmedAct({ call, act, done, failed, onDone: onDone ?? onClose })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={title}
      confirmLabel={title}
      busyLabel={busyLabel}
      {...confirmed}
    >
      {children}
    </ConfirmDialog>
  )
}

interface MemberQuestionProps {
  projectId: string
  member: ProjectMember
  onClose: () => void
}

export function RemoveQuestion({ projectId, member, onClose }: MemberQuestionProps) {
  const { remove } = useMemberActs(projectId)
  return (
    <Question
      call="projectMember.remove"
      title="Remove member"
      busyLabel="Removing..."
      act={() => remove.mutateAsync(member)}
      done={`${member.name} was removed`}
      failed="Failed to remove the member. Please try again."
      onClose={onClose}
    >
      Remove <bdi>{member.name}</bdi> from this project? Their consoles and SSH connections to its VMs end at
      once. VMs that were created with their SSH key keep that key.
    </Question>
  )
}

export function HandOverQuestion({ projectId, member, onClose }: MemberQuestionProps) {
  const { handOver } = useMemberActs(projectId)
  return (
    <Question
      call="projectMember.handOver"
      title="Hand over project"
      busyLabel="Asking..."
      act={() => handOver.mutateAsync(member)}
      done={`Waiting for ${member.name} to accept`}
      failed="Failed to hand over the project. Please try again."
      onClose={onClose}
    >
      Ask <bdi>{member.name}</bdi> to become the owner of this project? They get an email and can accept
      within {handOverDays} days. Until then you stay the owner and can withdraw it. Afterwards you are an
      operator, and only the new owner can undo this.
    </Question>
  )
}

export function WithdrawHandOverQuestion({ projectId, member, onClose }: MemberQuestionProps) {
  const { withdrawHandOver } = useMemberActs(projectId)
  return (
    <Question
      call="handOver.withdraw"
      title="Withdraw hand-over"
      busyLabel="Withdrawing..."
      act={() => withdrawHandOver.mutateAsync()}
      done="Hand-over withdrawn"
      failed="Failed to withdraw the hand-over. Please try again."
      onClose={onClose}
    >
      Withdraw the hand-over to <bdi>{member.name}</bdi>? You stay the owner of this project.
    </Question>
  )
}

interface WithdrawQuestionProps {
  projectId: string
  invitation: ProjectInvitation
  onClose: () => void
}

export function WithdrawQuestion({ projectId, invitation, onClose }: WithdrawQuestionProps) {
  const { withdraw } = useMemberActs(projectId)
  return (
    <Question
      call="projectMember.withdraw"
      title="Withdraw invitation"
      busyLabel="Withdrawing..."
      act={() => withdraw.mutateAsync(invitation)}
      done="Invitation withdrawn"
      failed="Failed to withdraw the invitation. Please try again."
      onClose={onClose}
    >
      Withdraw the invitation of <bdi>{invitation.email}</bdi>? Its link stops working.
    </Question>
  )
}

interface LeaveQuestionProps {
  projectId: string
  onClose: () => void
  onLeft: () => void
}

export function LeaveQuestion({ projectId, onClose, onLeft }: LeaveQuestionProps) {
  const { leave } = useMemberActs(projectId)
  return (
    <Question
      call="projectMember.leave"
      title="Leave project"
      busyLabel="Leaving..."
      act={() => leave.mutateAsync()}
      done="You left the project"
      failed="Failed to leave the project. Please try again."
      onClose={onClose}
      onDone={onLeft}
    >
      Leave this project? You come back only by another invitation.
    </Question>
  )
}
