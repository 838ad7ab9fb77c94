import {
  type InvitationOffer,
  type MemberRole,
  membersPerProject,
  type ProjectInvitation,
  type ProjectMember,
  type ProjectRole,
} from '@slipway/contract'
import { type QueuedMail, withMails } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { ProjectInvitationTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { memberEntry } from './project-member.activity.ts'

/** Why nothing was changed. `not-owner`: whoever asks is not the owner any more. */
export type Refusal =
  | 'not-owner'
  | 'no-member'
  | 'owner-stays'
  | 'already-member'
  | 'too-many'
  | 'over'
  | 'other-address'

/** Who is in the project after a change, by account. */
export type Roles = Record<string, ProjectRole>

/** Who asks for something to be done with whom, and when: milliseconds since the epoch. */
export interface Asked {
  actorId: string
  projectId: string
  memberId: string
  at: number
}

export type ProjectMemberRepo = ReturnType<typeof makeProjectMemberRepo>

export function makeProjectMemberRepo(db: Db) {
  const members = (executor: Db, projectId: string) =>
    executor
      .selectFrom('project_member as member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .where('member.project_id', '=', projectId)
      .leftJoin('hand_over', (join) =>
        join
          .onRef('hand_over.project_id', '=', 'member.project_id')
          .onRef('hand_over.to_id', '=', 'member.account_id'),
      )
      .select([
        'account.id',
        'account.name',
        'account.email',
        'member.role',
        'member.since',
        'hand_over.expires_at as hand_over_until',
      ])

  const find = async (executor: Db, projectId: string, accountId: string): Promise<ProjectMember | null> =>
    (await members(executor, projectId).where('account.id', '=', accountId).executeTakeFirst()) ?? null

  async function rolesIn(tx: Tx, projectId: string): Promise<Roles> {
    const all = await members(tx, projectId).execute()
    return Object.fromEntries(all.map(({ id, role }) => [id, role]))
  }

  const setRole = (tx: Tx, projectId: string, accountId: string, role: ProjectRole) =>
    tx
      .updateTable('project_member')
      .set({ role })
      .where('project_id', '=', projectId)
      .where('account_id', '=', accountId)
      .execute()

  const take = (tx: Tx, projectId: string, accountId: string) =>
    tx
      .deleteFrom('project_member')
      .where('project_id', '=', projectId)
      .where('account_id', '=', accountId)
      .execute()

  const projectOf = (tx: Tx, id: string) =>
    tx.selectFrom('project').select(['id', 'name']).where('id', '=', id).executeTakeFirstOrThrow()

  /** Does something as the owner of a project, who may have handed it over since the request came in. */
  function asOwner<T>(
    { actorId, projectId }: Pick<Asked, 'actorId' | 'projectId'>,
    act: (tx: Tx, project: { id: string; name: string }) => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    return db.transaction().execute(async (tx) => {
      if ((await find(tx, projectId, actorId))?.role !== 'owner') return 'not-owner'
      return act(tx, await projectOf(tx, projectId))
    })
  }

  const invitations = (executor: Db) =>
    executor
      .selectFrom('project_invitation as invitation')
      .innerJoin('account as inviter', 'inviter.id', 'invitation.invited_by')
      .innerJoin('project', 'project.id', 'invitation.project_id')
      .where('invitation.project_id', 'not in', projectsInBin(executor))
      .selectAll('invitation')
      .select(['inviter.name as inviter_name', 'project.name as project_name'])

  const waiting = (executor: Db, projectId: string, now: string) =>
    invitations(executor)
      .where('invitation.project_id', '=', projectId)
      .where('invitation.accepted_at', 'is', null)
      .where('invitation.expires_at', '>', now)

  return {
    async list(projectId: string, now: string): Promise<ProjectMember[]> {
      const rows = await members(db, projectId).orderBy('member.since').orderBy('account.id').execute()
      const all = rows.map((row) => ({ ...row, hand_over_until: stillComing(row.hand_over_until, now) }))
      return all.sort((a, b) => Number(b.role === 'owner') - Number(a.role === 'owner'))
    },

    async invitations(projectId: string, now: string): Promise<ProjectInvitation[]> {
      const rows = await waiting(db, projectId, now).orderBy('invitation.id').execute()
      return rows.map((row) => ({
        id: row.id,
        email: row.email,
        role: row.role,
        invited_by: row.inviter_name,
        created_at: row.created_at,
        expires_at: row.expires_at,
      }))
    },

    /** Stores an invitation in place of one for the same address, with the mail that has its link. */
    invite: (row: ProjectInvitationTable, at: number, mail: QueuedMail): Promise<'invited' | Refusal> =>
      asOwner<'invited'>({ actorId: row.invited_by, projectId: row.project_id }, async (tx, project) => {
        const all = await members(tx, project.id).execute()
        if (all.some(({ email }) => email === row.email)) return 'already-member'
        await tx
          .deleteFrom('project_invitation')
          .where('project_id', '=', project.id)
          .where((e) => e.or([e('email', '=', row.email), e('expires_at', '<=', row.created_at)]))
          .execute()
        const open = await waiting(tx, project.id, row.created_at).execute()
        if (all.length + open.length >= membersPerProject) return 'too-many'
        await tx.insertInto('project_invitation').values(row).execute()
        const message = `Invited ${row.email} to project ${project.name} as ${row.role}`
        const invited = memberEntry({ project, actorId: row.invited_by, at }, 'projectMember.invite', message)
        await record(tx, [withMails(invited, mail)])
        return 'invited'
      }),

    withdraw: (asked: Omit<Asked, 'memberId'>, invitationId: string): Promise<'withdrawn' | Refusal> =>
      asOwner<'withdrawn'>(asked, async (tx, project) => {
        const row = await tx
          .deleteFrom('project_invitation')
          .where('id', '=', invitationId)
          .where('project_id', '=', project.id)
          .where('accepted_at', 'is', null)
          .returning('email')
          .executeTakeFirst()
        if (!row) return 'no-member'
        const message = `Withdrew the invitation of ${row.email} to project ${project.name}`
        await record(tx, [memberEntry({ ...asked, project }, 'projectMember.withdraw', message)])
        return 'withdrawn'
      }),

    /** Whether an address in lower case has an invitation to any project that can still be accepted. */
    async isInvited(email: string, now: string): Promise<boolean> {
      const row = await db
        .selectFrom('project_invitation')
        .select('id')
        .where('email', '=', email)
        .where('accepted_at', 'is', null)
        .where('expires_at', '>', now)
        .where('project_id', 'not in', projectsInBin(db))
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** What a link is for; null when it leads nowhere, or not any more. */
    async offer(hash: string, now: string): Promise<InvitationOffer | null> {
      const row = await invitations(db)
        .where('invitation.token_hash', '=', hash)
        .where('invitation.expires_at', '>', now)
        .where('invitation.accepted_at', 'is', null)
        .executeTakeFirst()
      if (!row) return null
      const { project_name, role, inviter_name: invited_by, email } = row
      return { project_name, role, invited_by, email }
    },

    /** Makes an account a member; a second click on the same link changes nothing. */
    accept: (
      hash: string,
      user: { id: string; name: string; email: string },
      at: number,
      now: string,
    ): Promise<{ projectId: string; roles: Roles; isNew: boolean } | Refusal> =>
      db.transaction().execute(async (tx) => {
        const row = await invitations(tx)
          .where('invitation.token_hash', '=', hash)
          .where('invitation.expires_at', '>', now)
          .executeTakeFirst()
        if (!row) return 'over'
        if (row.email !== user.email) return 'other-address'
        const { project_id: projectId, role } = row
        const before = await find(tx, projectId, user.id)
        if (row.accepted_at !== null && !before) return 'over'
        const isNew = row.accepted_at === null
        if (isNew) {
          await tx
            .updateTable('project_invitation')
            .set({ accepted_at: now })
            .where('id', '=', row.id)
            .execute()
          // Somebody who changed their address may be a member already, and keeps what they are.
          if (!before)
            await tx
              .insertInto('project_member')
              .values({ project_id: projectId, account_id: user.id, role, since: now })
              .execute()
          const project = { id: projectId, name: row.project_name }
          const message = `Joined project ${project.name} as ${before?.role ?? role}`
          await record(tx, [memberEntry({ project, actorId: user.id, at }, 'projectMember.accept', message)])
        }
        return { projectId, roles: await rolesIn(tx, projectId), isNew }
      }),

    update: (
      asked: Asked,
      role: MemberRole,
    ): Promise<{ member: ProjectMember; roles: Roles; isNew: boolean } | Refusal> =>
      asOwner(asked, async (tx, project) => {
        const before = await find(tx, project.id, asked.memberId)
        if (!before) return 'no-member'
        if (before.role === 'owner') return 'owner-stays'
        const isNew = before.role !== role
        if (isNew) {
          await setRole(tx, project.id, before.id, role)
          const message = `Made ${before.name} ${article(role)} of project ${project.name}`
          await record(tx, [memberEntry({ ...asked, project }, 'projectMember.update', message)])
        }
        const hand_over_until = stillComing(before.hand_over_until, isoTime(asked.at))
        return { member: { ...before, role, hand_over_until }, roles: await rolesIn(tx, project.id), isNew }
      }),

    remove: (asked: Asked): Promise<{ roles: Roles } | Refusal> =>
      asOwner(asked, async (tx, project) => {
        const before = await find(tx, project.id, asked.memberId)
        if (!before) return 'no-member'
        if (before.role === 'owner') return 'owner-stays'
        await take(tx, project.id, before.id)
        const message = `Removed ${before.name} from project ${project.name}`
        await record(tx, [memberEntry({ ...asked, project }, 'projectMember.remove', message)])
        return { roles: await rolesIn(tx, project.id) }
      }),

    leave: ({ actorId, projectId, at }: Omit<Asked, 'memberId'>): Promise<{ roles: Roles } | Refusal> =>
      db.transaction().execute(async (tx) => {
        const before = await find(tx, projectId, actorId)
        if (!before) return 'no-member'
        if (before.role === 'owner') return 'owner-stays'
        await take(tx, projectId, actorId)
        const project = await projectOf(tx, projectId)
        const message = `Left project ${project.name}`
        await record(tx, [memberEntry({ project, actorId, at }, 'projectMember.leave', message)])
        return { roles: await rolesIn(tx, projectId) }
      }),
  }
}

const stillComing = (until: string | null, now: string) => (until !== null && until > now ? until : null)

const article = (role: MemberRole) => (role === 'operator' ? 'an operator' : 'a viewer')
