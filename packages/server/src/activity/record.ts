import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Entry } from './entry.ts'

/** SQLite takes 32,766 values in one statement. */
const rowsAtOnce = 500

/**
 * Adds entries to the activity log. `tx` is the transaction of the change they tell of: so no change lasts without
 * its entry, and no entry tells of what was rolled back.
 */
export async function record(tx: Db, entries: readonly Entry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += rowsAtOnce) {
    const rows = entries
      .slice(from, from + rowsAtOnce)
      .map(({ at, kind, action, actor, subject, message, reason }) => ({
        id: newId(at),
        at: isoTime(at),
        kind,
        action,
        actor_id: actor,
        actor_name: actor && sql<string>`(select name from account where id = ${actor})`,
        object_type: subject.type,
        object_id: subject.id,
        object_name: subject.name,
        project_id: subject.projectId ?? null,
        account_id: subject.accountId ?? null,
        message,
        reason,
      }))
    await tx.insertInto('activity').values(rows).execute()
  }
}
