import { z } from 'zod'
import { accountTexts, isEmail } from './account.rules.ts'
import { accountDeletionTexts } from './account-deletion.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { handOverTexts } from './hand-over.rules.ts'
import { ProjectHandOver } from './hand-over.ts'
import { Project, ProjectParams, RoleInProject } from './project.ts'
import { memberRoles, projectMemberTexts as texts } from './project-member.rules.ts'
import { proofTexts } from './proof.rules.ts'
import { Id, Time } from './text.ts'

const MemberRole = z.enum(memberRoles, { error: texts.roleMissing }).meta({ id: 'MemberRole' })

export const ProjectMember = z.object({
  /** Of the account. */
  id: Id,
  name: z.string(),
  email: z.string(),
  role: RoleInProject,
  since: Time,
  /** Until when this member can accept to become the owner; null: nobody asks that of them. */
  hand_over_until: Time.nullable(),
})
export type ProjectMember = z.infer<typeof ProjectMember>

/** An invitation that waits to be accepted. */
export const ProjectInvitation = z.object({
  id: Id,
  email: z.string(),
  role: MemberRole,
  /** Name of who sent it. */
  invited_by: z.string(),
  created_at: Time,
  expires_at: Time,
})
export type ProjectInvitation = z.infer<typeof ProjectInvitation>

export const ProjectMemberUpdate = z.object({ role: MemberRole })

export const InvitationCreate = z.object({
  email: z
    .string({ error: accountTexts.emailMissing })
    .trim()
    .min(1, accountTexts.emailMissing)
    .refine(isEmail, accountTexts.invalidEmail)
    .transform((email) => email.toLowerCase()),
  role: MemberRole,
})
export type InvitationCreate = z.infer<typeof InvitationCreate>

/** What somebody who has the link sees of an invitation. */
export const InvitationOffer = z.object({
  project_name: z.string(),
  role: MemberRole,
  invited_by: z.string(),
  email: z.string(),
})
export type InvitationOffer = z.infer<typeof InvitationOffer>

const MemberParams = ProjectParams.extend({ memberId: Id })
const InvitationParams = ProjectParams.extend({ invitationId: Id })
/** From the link of an invitation. */
export const InvitationToken = z.object({
  token: z.string().min(1, texts.invitationOver).max(200, texts.invitationOver),
})
const noProject = [messages.projectNotFound]
const noMember = [messages.projectNotFound, texts.notFound]

export const projectMemberApi = {
  list: endpoint('projectMember.list', {
    summary: 'The members of the project: the owner first, then by when they came',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(ProjectMember),
    errors: { 404: noProject },
  }),
  update: endpoint('projectMember.update', {
    summary: 'Change the role of a member',
    auth: 'session',
    status: 200,
    params: MemberParams,
    body: ProjectMemberUpdate,
    response: ProjectMember,
    errors: { 403: [proofTexts.needed], 404: noMember, 409: [texts.ownerStays] },
  }),
  remove: endpoint('projectMember.remove', {
    summary: 'Remove a member',
    auth: 'session',
    status: 204,
    params: MemberParams,
    errors: { 404: noMember, 409: [texts.ownerStays] },
  }),
  handOver: endpoint('projectMember.handOver', {
    summary: 'Ask a member to become the owner; one that waits for another member is replaced',
    auth: 'session',
    status: 202,
    params: MemberParams,
    response: ProjectHandOver,
    errors: {
      403: [proofTexts.needed],
      404: noMember,
      409: [accountDeletionTexts.newOwnerLeaves, handOverTexts.isOwner],
      429: [messages.tooManyAttempts],
    },
  }),
  leave: endpoint('projectMember.leave', {
    summary: 'Leave the project',
    auth: 'session',
    status: 204,
    params: ProjectParams,
    errors: { 404: noProject, 409: [texts.ownerStays] },
  }),
  invitations: endpoint('projectMember.invitations', {
    summary: 'The invitations that wait to be accepted, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(ProjectInvitation),
    errors: { 404: noProject },
  }),
  invite: endpoint('projectMember.invite', {
    summary: 'Invite somebody by email; one that waits for the same address is replaced',
    auth: 'session',
    status: 201,
    params: ProjectParams,
    body: InvitationCreate,
    response: ProjectInvitation,
    errors: {
      400: [accountTexts.emailMissing, accountTexts.invalidEmail, texts.roleMissing],
      403: [proofTexts.needed],
      404: noProject,
      409: [texts.alreadyMember, texts.tooMany],
      429: [messages.tooManyAttempts],
    },
  }),
  withdraw: endpoint('projectMember.withdraw', {
    summary: 'Withdraw an invitation',
    auth: 'session',
    status: 204,
    params: InvitationParams,
    errors: { 404: [messages.projectNotFound, texts.invitationNotFound] },
  }),
  offer: endpoint('projectMember.offer', {
    summary: 'What an invitation is for, by the token of its link',
    auth: 'session',
    status: 200,
    body: InvitationToken,
    response: InvitationOffer,
    errors: { 403: [texts.otherAddress], 409: [texts.invitationOver] },
  }),
  accept: endpoint('projectMember.accept', {
    summary: 'Accept an invitation, signed in with the address it was sent to',
    auth: 'session',
    status: 200,
    body: InvitationToken,
    response: Project,
    errors: { 403: [texts.otherAddress], 409: [texts.invitationOver] },
  }),
}
