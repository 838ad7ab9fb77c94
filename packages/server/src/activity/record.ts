import { sql } from 'kysely'
import { keepOnce } from '../db/once.ts'
import type { Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Entry } from './entry.ts'

/** SQLite takes 32,766 values in one statement. */
const rowsAtOnce = 500

/**
 * Adds entries to the activity log, in the transaction of the change they describe: a change is never stored without
 * its entry, nor an entry without its change. Their ids sort after all that are stored, whichever server wrote those:
 * who reads on from an entry misses nothing. What a user asked for is also tied to the call that asks (db/once.ts).
 */
export async function record(tx: Tx, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
  const newest = await tx
    .selectFrom('activity')
    .select((e) => e.fn.max('id').as('id'))
    .executeTakeFirst()
  for (let from = 0; from < entries.length; from += rowsAtOnce) {
    const rows = entries
      .slice(from, from + rowsAtOnce)
      .map(({ at, kind, action, actor, subject, message, reason }) => ({
        id: newId(at, newest?.id),
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
  for (const { kind, actor, action, subject, at } of entries) {
    if (kind === 'wish') await keepOnce(tx, { by: actor, endpoint: action, id: subject.id, at: isoTime(at) })
  }
}
