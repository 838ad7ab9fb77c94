import type { Batch, BatchItem, BatchObject as BatchKind } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import type { BatchTable } from '../db/schema.ts'
import {
  type BatchItemRecord,
  type BatchObject,
  type BatchRecord,
  type BatchRequest,
  type BatchResult,
  isForGood,
} from './batch.state.ts'

/** SQLite takes 32,766 values in one statement. */
const rowsAtOnce = 1000

const groupKinds = { vm_pool: 'pool', vm_set: 'set' } as const

// Written here, in this form.
const requestOf = ({ request }: Pick<BatchTable, 'request'>) => JSON.parse(request) as BatchRequest

export type BatchRepo = ReturnType<typeof makeBatchRepo>

export function makeBatchRepo(db: Db) {
  const batches = () =>
    db
      .selectFrom('batch')
      .leftJoin('account', 'account.id', 'batch.account_id')
      .selectAll('batch')
      .select('account.name as account_name')

  async function countsOf(ids: readonly string[]): Promise<Map<string, Batch['counts']>> {
    const none = { total: 0, waiting: 0, done: 0, failed: 0, left_out: 0 }
    const counts = new Map(ids.map((id) => [id, { ...none }]))
    if (ids.length === 0) return counts
    const rows = await db
      .selectFrom('batch_item')
      .select(['batch_id', 'state', (e) => e.fn.countAll().as('n')])
      .where('batch_id', 'in', ids)
      .groupBy(['batch_id', 'state'])
      .execute()
    for (const { batch_id, state, n } of rows) {
      const ofBatch = counts.get(batch_id)
      if (!ofBatch) continue
      ofBatch[state] = Number(n)
      ofBatch.total += Number(n)
    }
    return counts
  }

  type Row = BatchTable & { account_name: string | null }

  async function withCounts(rows: readonly Row[]): Promise<Batch[]> {
    const counts = await countsOf(rows.map(({ id }) => id))
    return rows.flatMap((row) => {
      const ofBatch = counts.get(row.id)
      if (!ofBatch) return []
      const { id, project_id, account_id, account_name, created_at, ended_at } = row
      const requested_by =
        account_id === null || account_name === null ? null : { id: account_id, name: account_name }
      const request = requestOf(row)
      return [
        {
          id,
          project_id,
          action: request.action,
          for_good: isForGood(request),
          requested_by,
          counts: ofBatch,
          created_at,
          ended_at,
        },
      ]
    })
  }

  /** Ends a batch of which nothing waits. */
  async function end(tx: Db, batchId: string, at: string): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable('batch')
      .set({ ended_at: at })
      .where('id', '=', batchId)
      .where('ended_at', 'is', null)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('batch_item')
              .select('place')
              .where('batch_id', '=', batchId)
              .where('state', '=', 'waiting'),
          ),
        ),
      )
      .executeTakeFirstOrThrow()
    return numUpdatedRows === 1n
  }

  /** Stores what came of an item that waits; false when it does not wait any more. */
  async function settle(
    { batchId, place }: BatchItemRecord,
    { state, message, createdId }: BatchResult,
    tx: Db = db,
  ): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable('batch_item')
      .set({ state, message, created_id: createdId })
      .where('batch_id', '=', batchId)
      .where('place', '=', place)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow()
    return numUpdatedRows === 1n
  }

  /** Those of these objects that a project has and nobody deleted. */
  function present(kind: BatchKind, projectId: string, ids: readonly string[]): Promise<BatchObject[]> {
    switch (kind) {
      case 'vm':
        return db
          .selectFrom('vm')
          .select(['id', 'name'])
          .where('project_id', '=', projectId)
          .where('wanted_deleted', '=', 0)
          .where('id', 'in', ids)
          .execute()
      case 'vm_pool':
      case 'vm_set':
        return db
          .selectFrom('vm_group')
          .select(['id', 'name'])
          .where('project_id', '=', projectId)
          .where('kind', '=', groupKinds[kind])
          .where('bin_id', 'is', null)
          .where('id', 'in', ids)
          .execute()
      default:
        return db
          .selectFrom(kind)
          .select(['id', 'name'])
          .where('project_id', '=', projectId)
          .where('status', '!=', 'deleting')
          .where('id', 'in', ids)
          .execute()
    }
  }

  return {
    settle,
    end: (batchId: string, at: string) => end(db, batchId, at),

    /** Those of these objects that a project has, by their ids. */
    async objects(
      kind: BatchKind,
      projectId: string,
      ids: readonly string[],
    ): Promise<Map<string, BatchObject>> {
      const rows = await present(kind, projectId, ids)
      return new Map(rows.map((row) => [row.id, row]))
    },

    /** Whether something that was deleted is kept in a bin. */
    async isInBin(kind: BatchKind, id: string): Promise<boolean> {
      const row = await db
        .selectFrom(kind === 'vm_pool' || kind === 'vm_set' ? 'vm_group' : kind)
        .select('id')
        .where('id', '=', id)
        .where('bin_id', 'is not', null)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Stores a batch with all its items. */
    async insert(
      batch: Omit<BatchTable, 'ended_at'>,
      objects: readonly BatchObject[],
      entry: Entry,
    ): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx
          .insertInto('batch')
          .values({ ...batch, ended_at: null })
          .execute()
        const rows = objects.map(({ id, name }, place) => ({
          batch_id: batch.id,
          place,
          object_id: id,
          object_name: name,
          state: 'waiting' as const,
          message: null,
          created_id: null,
        }))
        for (let from = 0; from < rows.length; from += rowsAtOnce)
          await tx
            .insertInto('batch_item')
            .values(rows.slice(from, from + rowsAtOnce))
            .execute()
        await record(tx, [entry])
      })
    },

    async findAll(ids: readonly string[]): Promise<Batch[]> {
      return withCounts(await batches().where('batch.id', 'in', ids).execute())
    },

    /** The newest batches of a project, newest first. */
    async list(projectId: string, limit: number): Promise<Batch[]> {
      const rows = await batches()
        .where('batch.project_id', '=', projectId)
        .orderBy('batch.id', 'desc')
        .limit(limit)
        .execute()
      return withCounts(rows)
    },

    async items(batchId: string): Promise<BatchItem[]> {
      const rows = await db
        .selectFrom('batch_item')
        .select(['object_id as id', 'object_name as name', 'state', 'message', 'created_id'])
        .where('batch_id', '=', batchId)
        .orderBy('place')
        .execute()
      return rows
    },

    /** A batch that has not ended, with the items that wait first; null when there is no such batch. */
    async next(
      batchId: string,
      limit: number,
    ): Promise<{ batch: BatchRecord; items: BatchItemRecord[] } | null> {
      const row = await db
        .selectFrom('batch')
        .selectAll()
        .where('id', '=', batchId)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      if (!row) return null
      const items = await db
        .selectFrom('batch_item')
        .select(['batch_id as batchId', 'place', 'object_id as objectId', 'object_name as objectName'])
        .where('batch_id', '=', batchId)
        .where('state', '=', 'waiting')
        .orderBy('place')
        .limit(limit)
        .execute()
      const batch = {
        id: row.id,
        projectId: row.project_id,
        accountId: row.account_id,
        request: requestOf(row),
      }
      return { batch, items }
    },

    /** Leaves out what waits, which ends the batch; false when it has ended already. */
    cancel(batchId: string, at: string, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        await tx
          .updateTable('batch_item')
          .set({ state: 'left_out' })
          .where('batch_id', '=', batchId)
          .where('state', '=', 'waiting')
          .execute()
        const isEnded = await end(tx, batchId, at)
        if (isEnded) await record(tx, [entry])
        return isEnded
      })
    },

    /** The batches that have not ended. */
    async open(): Promise<string[]> {
      const rows = await db.selectFrom('batch').select('id').where('ended_at', 'is', null).execute()
      return rows.map(({ id }) => id)
    },

    /** Deletes batches, with their items, that ended before a time, ISO 8601. */
    async deleteBefore(time: string): Promise<void> {
      await db.deleteFrom('batch').where('ended_at', '<', time).execute()
    },
  }
}
