import { sql } from 'kysely'
import { keepOnce } from '../db/once.ts'
import type { Db, Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import { idFloor, newId } from '../lib/id.ts'
import { queueMails } from '../mail-queue/mail-queue.writes.ts'
import { projectsOf, queueDeliveries } from '../webhook-delivery/webhook-delivery.writes.ts'
import type { Entry } from './entry.ts'

/** SQLite takes 32,766 values in one statement. */
const rowsAtOnce = 500

/** What one account looks at within this time is one visit, in however many requests. */
const visitMs = 10 * 60_000

/**
 * Adds entries to the activity log, in the transaction of the change they describe: a change is never stored without
 * its entry, nor an entry without its change, nor without its way to the webhooks that take it and the mails that tell of it. Their ids sort after all
 * that are stored, whichever server wrote those: who reads on from an entry misses nothing. What a user asked for is also
 * tied to the call that asks (db/once.ts).
 */
export async function record(tx: Tx, entries: readonly Entry[]): Promise<void> {
  if (entries.length > 0) await store(tx, entries)
}

/** Adds one entry, and answers with its id. */
export async function recordOne(tx: Tx, entry: Entry): Promise<string> {
  const [id] = await store(tx, [entry])
  if (id === undefined) throw new Error('The entry was not stored')
  return id
}

/**
 * Adds an entry of somebody who reads or looks into an object of a project, unless one says so already that is not older than a visit
 * lasts. It is asked of the log itself, so that no client and no second server has a say in it.
 */
export async function recordVisit(db: Db, visit: Entry): Promise<void> {
  if (await isRecorded(db, visit)) return
  await db.transaction().execute(async (tx) => {
    if (!(await isRecorded(tx, visit))) await record(tx, [visit])
  })
}

async function isRecorded(executor: Db, { at, action, actor, subject }: Entry): Promise<boolean> {
  const row = await executor
    .selectFrom('activity')
    .select('id')
    .where('project_id', '=', subject.projectId ?? null)
    .where('object_id', '=', subject.id)
    // Ids may run ahead of the clock, never behind: the index finds few, the time decides.
    .where('id', '>=', idFloor(at - visitMs))
    .where('at', '>', isoTime(at - visitMs))
    // One that was written while the clock was ahead says nothing of this visit.
    .where('at', '<=', isoTime(at))
    .where('action', '=', action)
    .where('actor_id', '=', actor)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function store(tx: Tx, entries: readonly Entry[]): Promise<string[]> {
  const { newest, isHooked } = await lookAhead(
    tx,
    projectsOf(entries.map(({ subject }) => ({ project_id: subject.projectId ?? null }))),
  )
  const rows = entries.map(({ at, kind, action, actor, subject, message, reason }) => ({
    id: newId(at, newest),
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
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await tx
      .insertInto('activity')
      .values(rows.slice(from, from + rowsAtOnce))
      .execute()
  if (isHooked) await queueDeliveries(tx, rows)
  await queueMails(
    tx,
    entries.flatMap(({ mails = [] }) => mails),
  )
  for (const { kind, actor, action, subject, at } of entries) {
    if (kind === 'wish') await keepOnce(tx, { by: actor, endpoint: action, id: subject.id, at: isoTime(at) })
  }
  return rows.map(({ id }) => id)
}

/** The newest entry there is, and whether any of these projects has a webhook that is on, in one query. */
async function lookAhead(
  tx: Tx,
  projectIds: readonly string[],
): Promise<{ newest: string | null; isHooked: boolean }> {
  const newest = tx.selectFrom('activity').select((e) => e.fn.max('id').as('id'))
  if (projectIds.length === 0)
    return { newest: (await newest.executeTakeFirst())?.id ?? null, isHooked: false }
  const hooks = tx
    .selectFrom('webhook')
    .select('id')
    .where('project_id', 'in', projectIds)
    .where('paused', '=', 0)
  const found = await tx
    .selectNoFrom((e) => [newest.as('newest'), e.exists(hooks).as('hooked')])
    .executeTakeFirstOrThrow()
  return { newest: found.newest, isHooked: Boolean(found.hooked) }
}
