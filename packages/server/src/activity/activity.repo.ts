import type { Activity } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import { idFloor } from '../lib/id.ts'
import { type Entry, toActivity } from './entry.ts'
import { record, recordVisit } from './record.ts'

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
    async record(entries: readonly Entry[]): Promise<void> {
      await db.transaction().execute((tx) => record(tx, entries))
    },

    recordVisit: (visit: Entry): Promise<void> => recordVisit(db, visit),

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
