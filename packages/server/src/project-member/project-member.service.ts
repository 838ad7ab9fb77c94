import { createHash, randomBytes } from 'node:crypto'
import {
  accessTexts,
  type InvitationCreate,
  type InvitationOffer,
  invitationDays,
  type MemberRole,
  messages,
  type Project,
  type ProjectInvitation,
  type ProjectMember,
  projectMemberTexts as texts,
  type User,
} from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import type { ProjectService } from '../project/project.service.ts'
import { invitationMail } from './project-member.mails.ts'
import type { ProjectMemberRepo, Refusal, Roles } from './project-member.repo.ts'

const dayMs = 24 * 60 * 60_000

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

const problems: Record<Refusal, () => Problem> = {
  'not-owner': () => new Problem(403, accessTexts.owner),
  'no-member': () => new Problem(404, texts.notFound),
  'owner-stays': () => new Problem(409, texts.ownerStays),
  'already-member': () => new Problem(409, texts.alreadyMember),
  'too-many': () => new Problem(409, texts.tooMany),
  over: () => new Problem(409, texts.invitationOver),
  'other-address': () => new Problem(403, texts.otherAddress),
}

/** What was done, or throws why it was not. */
function done<T>(outcome: T | Refusal): T {
  // Only refusals and the words of what was done are texts.
  if (typeof outcome === 'string' && outcome in problems) throw problems[outcome as Refusal]()
  return outcome as T
}

export type ProjectMemberService = ReturnType<typeof makeProjectMemberService>

export interface ProjectMemberServiceOptions {
  repo: ProjectMemberRepo
  projects: Pick<ProjectService, 'list'>
  /** Throws 429 when too many mails go to an address, or are asked for from a network. */
  askForMail: (email: string, network: string) => Promise<void>
  mails: MailQueue
  productName: string
  publicUrl: () => string
  /** Whether somebody who is invited may create an account. */
  canSignUp: boolean
  changed: Changed
  clock: Clock
}

export function makeProjectMemberService(options: ProjectMemberServiceOptions) {
  const { repo, projects, mails, changed, clock } = options
  const now = () => isoTime(clock.now())

  /** Tells everybody who is in a project now, and ends what stood on who somebody was. */
  const moved = (projectId: string, roles: Roles, accountIds: readonly string[]) =>
    changed('project', projectId, projectId, { roles, moved: accountIds })

  const ofNow = (actorId: string, projectId: string, memberId: string) => ({
    actorId,
    projectId,
    memberId,
    at: clock.now(),
  })

  return {
    list: (projectId: string): Promise<ProjectMember[]> => repo.list(projectId, now()),
    invitations: (projectId: string): Promise<ProjectInvitation[]> => repo.invitations(projectId, now()),

    async invite(
      user: User,
      projectId: string,
      { email, role }: InvitationCreate,
      ip: string,
    ): Promise<ProjectInvitation> {
      await options.askForMail(email, clientNetworkOf(ip))
      const token = randomBytes(32).toString('base64url')
      const at = clock.now()
      const shown = {
        id: newId(at),
        email,
        role,
        created_at: isoTime(at),
        expires_at: isoTime(at + invitationDays * dayMs),
      }
      const row = {
        ...shown,
        project_id: projectId,
        token_hash: hashOf(token),
        invited_by: user.id,
        accepted_at: null,
      }
      const { productName, publicUrl, canSignUp } = options
      const mail = invitationMail(
        { email, role },
        user.email,
        { productName, url: publicUrl(), canSignUp },
        token,
      )
      const about = { purpose: 'invitation', accountId: null, secretLastsMs: invitationDays * dayMs }
      done(await repo.invite(row, at, mails.seal(mail, about)))
      mails.kick()
      return { ...shown, invited_by: user.name }
    },

    async withdraw(userId: string, projectId: string, invitationId: string): Promise<void> {
      const outcome = await repo.withdraw({ actorId: userId, projectId, at: clock.now() }, invitationId)
      if (outcome === 'no-member') throw new Problem(404, texts.invitationNotFound)
      done(outcome)
    },

    async offer(user: User, token: string): Promise<InvitationOffer> {
      const offer = await repo.offer(hashOf(token), now())
      if (!offer) throw new Problem(409, texts.invitationOver)
      if (offer.email !== user.email) throw new Problem(403, texts.otherAddress)
      return offer
    },

    async accept(user: User, token: string): Promise<Project> {
      const { projectId, roles, isNew } = done(await repo.accept(hashOf(token), user, clock.now(), now()))
      if (isNew) moved(projectId, roles, [user.id])
      const project = (await projects.list(user.id)).find(({ id }) => id === projectId)
      if (!project) throw new Problem(404, messages.projectNotFound)
      return project
    },

    async update(
      userId: string,
      projectId: string,
      memberId: string,
      role: MemberRole,
    ): Promise<ProjectMember> {
      const { member, roles, isNew } = done(await repo.update(ofNow(userId, projectId, memberId), role))
      if (isNew) moved(projectId, roles, [memberId])
      return member
    },

    async remove(userId: string, projectId: string, memberId: string): Promise<void> {
      const { roles } = done(await repo.remove(ofNow(userId, projectId, memberId)))
      moved(projectId, roles, [memberId])
    },

    async leave(userId: string, projectId: string): Promise<void> {
      const outcome = await repo.leave({ actorId: userId, projectId, at: clock.now() })
      if (outcome === 'no-member') throw new Problem(404, messages.projectNotFound)
      moved(projectId, done(outcome).roles, [userId])
    },
  }
}
