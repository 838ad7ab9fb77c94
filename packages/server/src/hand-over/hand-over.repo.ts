import type { ProjectHandOver, ProjectRole } from '@slipway/contract'
import { type QueuedMail, withMails } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import { setOwner } from '../project/project.writes.ts'
import { makeOwner } from '../project-member/project-member.writes.ts'
import { accepted, asked, declined, withdrawn } from './hand-over.activity.ts'

/** Why nothing was changed. `not-owner`: the one who asks is not the owner any more. */
export type Refusal = 'not-owner' | 'no-member' | 'is-owner' | 'none' | 'not-for-you' | 'leaves'

type Roles = Record<string, ProjectRole>

/** Who acts in which project, and when: milliseconds since the epoch. */
interface Act {
  actorId: string
  projectId: string
  at: number
}

export type HandOverRepo = ReturnType<typeof makeHandOverRepo>

export function makeHandOverRepo(db: Db) {
  /** Only one whose giver still is the owner, and that is not over. */
  async function find(executor: Db, projectId: string, now: string): Promise<ProjectHandOver | null> {
    const row = await executor
      .selectFrom('hand_over')
      .innerJoin('project', 'project.id', 'hand_over.project_id')
      .innerJoin('account as giver', 'giver.id', 'hand_over.from_id')
      .innerJoin('account as receiver', 'receiver.id', 'hand_over.to_id')
      .where('hand_over.project_id', '=', projectId)
      .where('hand_over.expires_at', '>', now)
      .whereRef('project.account_id', '=', 'hand_over.from_id')
      .select([
        'project.name as project_name',
        'hand_over.from_id',
        'giver.name as from_name',
        'hand_over.to_id',
        'receiver.name as to_name',
        'hand_over.created_at',
        'hand_over.expires_at',
      ])
      .executeTakeFirst()
    if (!row) return null
    const { project_name, created_at, expires_at } = row
    return {
      project_id: projectId,
      project_name,
      from: { id: row.from_id, name: row.from_name },
      to: { id: row.to_id, name: row.to_name },
      created_at,
      expires_at,
    }
  }

  const end = (tx: Tx, projectId: string) =>
    tx.deleteFrom('hand_over').where('project_id', '=', projectId).execute()

  const memberOf = (tx: Db, projectId: string, accountId: string) =>
    tx
      .selectFrom('project_member as member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .where('member.project_id', '=', projectId)
      .where('account.id', '=', accountId)
      .select(['account.name', 'account.email', 'member.role'])
      .executeTakeFirst()

  const isLeaving = async (tx: Tx, accountId: string): Promise<boolean> =>
    (await tx
      .selectFrom('account_deletion')
      .select('account_id')
      .where('account_id', '=', accountId)
      .executeTakeFirst()) !== undefined

  const of = ({ project_id: id, project_name: name }: ProjectHandOver, { actorId, at }: Act) => ({
    project: { id, name },
    actorId,
    at,
  })

  return {
    find: (projectId: string, now: string) => find(db, projectId, now),

    /** The address of a member; null when there is no such member. */
    emailOf: async (projectId: string, memberId: string): Promise<string | null> =>
      (await memberOf(db, projectId, memberId))?.email ?? null,

    /** Asks a member to take a project over, by mail too, in place of another one who was asked before. */
    ask: (
      act: Act & { memberId: string; expiresAt: string },
      mail: QueuedMail,
    ): Promise<ProjectHandOver | Refusal> =>
      db.transaction().execute(async (tx) => {
        const { actorId, projectId, memberId, at } = act
        if ((await memberOf(tx, projectId, actorId))?.role !== 'owner') return 'not-owner'
        const member = await memberOf(tx, projectId, memberId)
        if (!member) return 'no-member'
        if (member.role === 'owner') return 'is-owner'
        if (await isLeaving(tx, memberId)) return 'leaves'
        await end(tx, projectId)
        const row = { project_id: projectId, from_id: actorId, to_id: memberId }
        const times = { created_at: isoTime(at), expires_at: act.expiresAt }
        await tx
          .insertInto('hand_over')
          .values({ ...row, ...times })
          .execute()
        const handOver = await find(tx, projectId, isoTime(at))
        if (!handOver) return 'not-owner'
        await record(tx, [withMails(asked(of(handOver, act), member.name), mail)])
        return handOver
      }),

    withdraw: (act: Act): Promise<'withdrawn' | Refusal> =>
      db.transaction().execute(async (tx) => {
        const handOver = await find(tx, act.projectId, isoTime(act.at))
        if (!handOver) return 'none'
        if (handOver.from.id !== act.actorId) return 'not-owner'
        await end(tx, act.projectId)
        await record(tx, [withdrawn(of(handOver, act), handOver.to.name)])
        return 'withdrawn'
      }),

    decline: (act: Act): Promise<'declined' | Refusal> =>
      db.transaction().execute(async (tx) => {
        const handOver = await find(tx, act.projectId, isoTime(act.at))
        if (!handOver) return 'none'
        if (handOver.to.id !== act.actorId) return 'not-for-you'
        await end(tx, act.projectId)
        await record(tx, [declined(of(handOver, act), handOver.from.name)])
        return 'declined'
      }),

    /**
     * Makes the one who was asked the owner. `given` may throw to refuse; it is asked in the transaction, so that what it
     * counts is still so. A second click on the same finds its user as the owner, and changes nothing.
     */
    accept: (
      act: Act,
      given: (tx: Tx) => Promise<void>,
    ): Promise<{ roles: Roles; moved: string[] } | 'done' | Refusal> =>
      db.transaction().execute(async (tx) => {
        const { actorId, projectId, at } = act
        const handOver = await find(tx, projectId, isoTime(at))
        if (!handOver) return (await memberOf(tx, projectId, actorId))?.role === 'owner' ? 'done' : 'none'
        if (handOver.to.id !== actorId) return 'not-for-you'
        if (await isLeaving(tx, actorId)) return 'leaves'
        await given(tx)
        await end(tx, projectId)
        const roles = await makeOwner(tx, projectId, { from: handOver.from.id, to: actorId })
        await setOwner(tx, projectId, actorId)
        await record(tx, [accepted(of(handOver, act), handOver.from.name)])
        return { roles, moved: [handOver.from.id, actorId] }
      }),
  }
}
