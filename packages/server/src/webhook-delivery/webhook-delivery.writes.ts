/**
 * What others write into the table of deliveries, each within a transaction of theirs. The log queues its entries here, and
 * webhooks stand upon the log: so deliveries have a folder of their own, which knows neither.
 */
import { type ActivityKind, type ActivityObject, type WebhookFilter, webhookTakes } from '@slipway/contract'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { WebhookDeliveryTable } from '../db/schema.ts'
import { idFloor, newId } from '../lib/id.ts'

/** SQLite takes 32,766 values in one statement. */
const rowsAtOnce = 1000

/** What is asked of an entry that has just been stored. */
export interface QueuedEntry {
  id: string
  /** ISO 8601. */
  at: string
  kind: ActivityKind
  action: string
  object_type: ActivityObject
  object_id: string
  project_id: string | null
}

const fresh = (id: string, webhookId: string, { id: activityId, at }: Pick<QueuedEntry, 'id' | 'at'>) =>
  ({
    id,
    webhook_id: webhookId,
    activity_id: activityId,
    state: 'waiting',
    asked: 0,
    tries: 0,
    next_at: at,
    tried_at: null,
    status_code: null,
    duration_ms: null,
    failure: null,
  }) satisfies WebhookDeliveryTable

// Written by webhooks, in this form.
const listOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as string[]))

/** Queues entries for the webhooks that take them, in the transaction that stores the entries. */
export async function queueDeliveries(tx: Tx, entries: readonly QueuedEntry[]): Promise<void> {
  const projectIds = projectsOf(entries)
  if (projectIds.length === 0) return
  const rows = await tx
    .selectFrom('webhook')
    .select(['id', 'project_id', 'objects', 'kinds', 'actions'])
    .where('project_id', 'in', projectIds)
    .where('paused', '=', 0)
    .orderBy('id')
    .execute()
  const webhooks = rows.map(({ objects, kinds, actions, ...of }): WebhookFilter & typeof of => ({
    ...of,
    objects: listOf(objects),
    kinds: listOf(kinds),
    actions: listOf(actions),
  }))
  const queued = entries.flatMap((entry) => {
    const { kind, action, object_type: type, object_id: id } = entry
    return webhooks
      .filter((webhook) => webhook.project_id === entry.project_id)
      .filter((webhook) => webhookTakes(webhook, { kind, action, object: { type, id } }))
      .map((webhook) => fresh(newId(Date.parse(entry.at), entry.id), webhook.id, entry))
  })
  for (let from = 0; from < queued.length; from += rowsAtOnce)
    await tx
      .insertInto('webhook_delivery')
      .values(queued.slice(from, from + rowsAtOnce))
      .execute()
}

/** The projects in whose logs some entries stand. */
export const projectsOf = (entries: readonly { project_id: string | null }[]): string[] => [
  ...new Set(entries.flatMap(({ project_id }) => project_id ?? [])),
]

/** Queues one entry for one webhook, whatever else that takes; it is sent at once. Answers with the id of the delivery. */
export async function queueAsked(tx: Tx, webhookId: string, entry: Pick<QueuedEntry, 'id' | 'at'>) {
  const id = newId(Date.parse(entry.at), entry.id)
  await tx
    .insertInto('webhook_delivery')
    .values({ ...fresh(id, webhookId, entry), asked: 1 })
    .execute()
  return id
}

/** Has a delivery sent at once, whatever came of it before; false when that was asked already. */
export async function askAgain(tx: Tx, deliveryId: string, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_delivery')
    .set({ state: 'waiting', asked: 1, next_at: at })
    .where('id', '=', deliveryId)
    .where('asked', '=', 0)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Stores what came of a try; false when the delivery is gone, or another server tried meanwhile. */
export async function settleTry(
  tx: Tx,
  { id, tries }: { id: string; tries: number },
  result: Omit<WebhookDeliveryTable, 'id' | 'webhook_id' | 'activity_id' | 'asked' | 'tries'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_delivery')
    .set({ ...result, asked: 0, tries: tries + 1 })
    .where('id', '=', id)
    .where('tries', '=', tries)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Deletes deliveries that are older than a time, and of each webhook those beyond the newest ones; some at a time. */
export async function deleteOldDeliveries(db: Db, beforeMs: number, newest: number): Promise<void> {
  await deleteBefore(db, idFloor(beforeMs))
  const { rows } = await sql<{ webhook_id: string }>`select webhook_id from webhook_delivery
    group by webhook_id having count(*) > ${newest}`.execute(db)
  for (const { webhook_id } of rows) {
    const last = await db
      .selectFrom('webhook_delivery')
      .select('id')
      .where('webhook_id', '=', webhook_id)
      .orderBy('id', 'desc')
      .offset(newest - 1)
      .limit(1)
      .executeTakeFirst()
    if (last) await deleteBefore(db, last.id, webhook_id)
  }
}

async function deleteBefore(db: Db, id: string, webhookId?: string): Promise<void> {
  for (;;) {
    let old = db.selectFrom('webhook_delivery').select('id').where('id', '<', id)
    if (webhookId !== undefined) old = old.where('webhook_id', '=', webhookId)
    const { numDeletedRows } = await db
      .deleteFrom('webhook_delivery')
      .where('id', 'in', old.limit(rowsAtOnce))
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) return
    await new Promise(setImmediate)
  }
}
