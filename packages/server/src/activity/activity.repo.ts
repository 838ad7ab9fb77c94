import { type Activity, activityKinds, activityObjects } from '@slipway/contract'
import { z } from 'zod'
import type { Db } from '../db/open.ts'
import type { ActivityTable } from '../db/schema.ts'
import { idFloor } from '../lib/id.ts'
import type { Entry } from './entry.ts'
import { record } from './record.ts'

const Kind = z.enum(activityKinds)
const ObjectType = z.enum(activityObjects)

const toActivity = (row: ActivityTable): Activity => ({
  id: row.id,
  at: row.at,
  kind: Kind.parse(row.kind),
  action: row.action,
  actor: row.actor_id === null ? null : { id: row.actor_id, name: row.actor_name ?? '' },
  object: { type: ObjectType.parse(row.object_type), id: row.object_id, name: row.object_name },
  project_id: row.project_id,
  message: row.message,
  reason: row.reason,
})

/** Whose log, and what of it; nothing given is no condition. */
export interface ActivityFilter {
  projectId?: string
  accountId?: string
  kind?: string | undefined
  object_type?: string | undefined
  object_id?: string | undefined
  actor?: 'user' | 'system' | undefined
  /** Only what is older than this entry. */
  before?: string | undefined
}

const rowsAtOnce = 1000

export type ActivityRepo = ReturnType<typeof makeActivityRepo>

export function makeActivityRepo(db: Db) {
  return {
    /** Adds entries that tell of nothing that is stored beside them. */
    record: (entries: readonly Entry[]): Promise<void> =>
      db.transaction().execute((tx) => record(tx, entries)),

    /** Newest first. */
    async page(filter: ActivityFilter, limit: number): Promise<Activity[]> {
      let query = db.selectFrom('activity').selectAll()
      if (filter.projectId !== undefined) query = query.where('project_id', '=', filter.projectId)
      if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId)
      if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
      if (filter.object_type !== undefined) query = query.where('object_type', '=', filter.object_type)
      if (filter.object_id !== undefined) query = query.where('object_id', '=', filter.object_id)
      if (filter.actor === 'user') query = query.where('actor_id', 'is not', null)
      if (filter.actor === 'system') query = query.where('actor_id', 'is', null)
      if (filter.before !== undefined) query = query.where('id', '<', filter.before)
      const rows = await query.orderBy('id', 'desc').limit(limit).execute()
      return rows.map(toActivity)
    },

    /**
     * Everything from one time to another, in milliseconds since the epoch, oldest first and a part at a time. It is
     * cut by ids, which sort by time: what follows on an export begins where that ended.
     */
    async *parts(sinceMs: number | null, untilMs: number | null): AsyncGenerator<Activity[]> {
      let after = sinceMs === null ? '' : idFloor(sinceMs)
      for (;;) {
        let query = db.selectFrom('activity').selectAll().where('id', '>', after)
        if (untilMs !== null) query = query.where('id', '<', idFloor(untilMs))
        const rows = await query.orderBy('id').limit(rowsAtOnce).execute()
        const last = rows.at(-1)
        if (!last) return
        yield rows.map(toActivity)
        after = last.id
      }
    },

    /** Forgets some of what is older; whether there was anything. */
    async deleteSomeBefore(ms: number): Promise<boolean> {
      const old = db.selectFrom('activity').select('id').where('id', '<', idFloor(ms)).limit(rowsAtOnce)
      const { numDeletedRows } = await db
        .deleteFrom('activity')
        .where('id', 'in', old)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}
