import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import { toRecord, type WebhookRecord, type WebhookSettings, wellColumns } from './webhook.state.ts'

export type WebhookRepo = ReturnType<typeof makeWebhookRepo>

const textOf = (list: readonly string[] | null) => (list === null ? null : JSON.stringify(list))

const settingsRow = ({ url, description, objects, kinds, actions, paused }: WebhookSettings) => ({
  url,
  description,
  objects: textOf(objects),
  kinds: textOf(kinds),
  actions: textOf(actions),
  paused: paused ? (1 as const) : (0 as const),
})

export function makeWebhookRepo(db: Db) {
  async function find(projectId: string, webhookId: string, tx: Db = db): Promise<WebhookRecord | null> {
    const row = await tx
      .selectFrom('webhook')
      .selectAll()
      .where('id', '=', webhookId)
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return row ? toRecord(row) : null
  }

  return {
    find: (projectId: string, webhookId: string) => find(projectId, webhookId),

    /** Oldest first. */
    async list(projectId: string): Promise<WebhookRecord[]> {
      const rows = await db
        .selectFrom('webhook')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('id')
        .execute()
      return rows.map(toRecord)
    },

    /** How many deliveries wait, by webhook; those that have none are left out. */
    async waiting(webhookIds: readonly string[]): Promise<Map<string, number>> {
      if (webhookIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('webhook_delivery')
        .select(['webhook_id', (e) => e.fn.countAll().as('n')])
        .where('webhook_id', 'in', webhookIds)
        .where('state', '=', 'waiting')
        .groupBy('webhook_id')
        .execute()
      return new Map(rows.map(({ webhook_id, n }) => [webhook_id, Number(n)]))
    },

    /** Stores a webhook unless its project has as many as it may; then answers false. */
    insert(
      of: Pick<WebhookRecord, 'id' | 'projectId' | 'secret' | 'createdAt'> & WebhookSettings,
      most: number,
      entry: Entry,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const { n } = await tx
          .selectFrom('webhook')
          .select((e) => e.fn.countAll().as('n'))
          .where('project_id', '=', of.projectId)
          .executeTakeFirstOrThrow()
        if (Number(n) >= most) return false
        const row = { id: of.id, project_id: of.projectId, secret: of.secret, created_at: of.createdAt }
        await tx
          .insertInto('webhook')
          .values({
            ...row,
            ...settingsRow(of),
            ...wellColumns,
            paused_reason: null,
            old_secret: null,
            old_secret_until: null,
            last_delivered_at: null,
          })
          .execute()
        await record(tx, [entry])
        return true
      })
    },

    /**
     * Changes a webhook to what `change` makes of it; null when there is none. What it says of its receiver holds no
     * longer when the URL is another one or a pause ends.
     */
    update(
      projectId: string,
      webhookId: string,
      change: (old: WebhookRecord) => { settings: WebhookSettings; entry: Entry },
    ): Promise<WebhookRecord | null> {
      return db.transaction().execute(async (tx) => {
        const old = await find(projectId, webhookId, tx)
        if (!old) return null
        const { settings, entry } = change(old)
        const isFresh = settings.url !== old.url || (old.paused && !settings.paused)
        await tx
          .updateTable('webhook')
          .set({
            ...settingsRow(settings),
            ...(isFresh && wellColumns),
            ...(!settings.paused && { paused_reason: null }),
          })
          .where('id', '=', webhookId)
          .execute()
        await record(tx, [entry])
        return find(projectId, webhookId, tx)
      })
    },

    /** Stores another secret; the one before goes on until a time. False when there is no such webhook. */
    renewSecret(
      webhook: Pick<WebhookRecord, 'id' | 'projectId'>,
      secret: string,
      oldUntil: string,
      entry: Entry,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('webhook')
          .set((e) => ({ secret, old_secret: e.ref('secret'), old_secret_until: oldUntil }))
          .where('id', '=', webhook.id)
          .where('project_id', '=', webhook.projectId)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        await record(tx, [entry])
        return true
      })
    },

    /** Deletes a webhook with its deliveries; false when there is none. */
    remove({ id }: Pick<WebhookRecord, 'id'>, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const { numDeletedRows } = await tx.deleteFrom('webhook').where('id', '=', id).executeTakeFirst()
        if (numDeletedRows === 0n) return false
        await record(tx, [entry])
        return true
      })
    },
  }
}
