import type { WebhookDeliveryState } from '@slipway/contract'
import { type ExpressionBuilder, sql } from 'kysely'
import { type Entry, toActivity } from '../activity/entry.ts'
import { record, recordOne } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Schema } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import {
  askAgain,
  deleteOldDeliveries,
  queueAsked,
  settleTry,
} from '../webhook-delivery/webhook-delivery.writes.ts'
import type { Verdict } from './webhook.plan.ts'
import { type DeliveryRecord, toRecord, type WebhookRecord, wellColumns } from './webhook.state.ts'

export type DeliveryRepo = ReturnType<typeof makeDeliveryRepo>

/** A delivery that is to be sent now, and where to. */
export interface DueDelivery {
  webhook: WebhookRecord
  delivery: DeliveryRecord
}

/** A try, what it was answered and what follows. */
export interface SettledTry {
  sent: { status: number | null; failure: string | null; durationMs: number }
  verdict: Verdict
  nowMs: number
}

export function makeDeliveryRepo(db: Db) {
  const deliveries = () =>
    db
      .selectFrom('webhook_delivery as delivery')
      .innerJoin('activity', 'activity.id', 'delivery.activity_id')
      .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
      .innerJoin('project', 'project.id', 'webhook.project_id')
      .selectAll('activity')
      .select([
        'delivery.id as delivery_id',
        'delivery.webhook_id',
        'delivery.state',
        'delivery.tries',
        'delivery.next_at',
        'delivery.tried_at',
        'delivery.status_code',
        'delivery.duration_ms',
        'delivery.failure',
        'webhook.project_id as own_project_id',
        'project.name as project_name',
      ])

  type Row = Awaited<ReturnType<ReturnType<typeof deliveries>['executeTakeFirstOrThrow']>>

  const toDeliveryRecord = (row: Row): DeliveryRecord => ({
    id: row.delivery_id,
    webhookId: row.webhook_id,
    state: row.state,
    tries: row.tries,
    nextAt: row.next_at,
    triedAt: row.tried_at,
    statusCode: row.status_code,
    durationMs: row.duration_ms,
    failure: row.failure,
    entry: toActivity(row),
    project: { id: row.own_project_id, name: row.project_name },
  })

  /** Webhooks of projects that are neither frozen nor in the bin: of others nothing is sent. */
  const thawed = () =>
    db
      .selectFrom('webhook')
      .innerJoin('project', 'project.id', 'webhook.project_id')
      .leftJoin('account_deletion as leaving', 'leaving.account_id', 'project.account_id')
      .where('leaving.account_id', 'is', null)
      .where('webhook.project_id', 'not in', projectsInBin(db))

  /** Those of them that are neither paused nor held at a time. */
  const open = (now: string) =>
    thawed()
      .where('webhook.paused', '=', 0)
      .where((e) => e.or([e('webhook.held_until', 'is', null), e('webhook.held_until', '<=', now)]))

  /** What somebody asked for, which is sent whatever holds the rest. */
  const asked = (webhookId?: string) => {
    const all = db.selectFrom('webhook_delivery').where('asked', '=', 1)
    return webhookId === undefined ? all : all.where('webhook_id', '=', webhookId)
  }

  const dueIn = (e: ExpressionBuilder<Schema, 'webhook'>, now: string) =>
    e
      .selectFrom('webhook_delivery as due')
      .whereRef('due.webhook_id', '=', 'webhook.id')
      .where('due.state', '=', 'waiting')
      .where('due.next_at', '<=', now)
      .orderBy('due.id')
      .limit(1)

  /** The delivery that a webhook is to be sent first: what was asked for, then the oldest entry. */
  async function firstOf(webhookId: string, now: string): Promise<string | null> {
    const isThawed = await thawed()
      .select('webhook.id')
      .where('webhook.id', '=', webhookId)
      .executeTakeFirst()
    if (!isThawed) return null
    const wanted = await asked(webhookId).select('id').orderBy('id').limit(1).executeTakeFirst()
    if (wanted) return wanted.id
    const row = await open(now)
      .select((e) => dueIn(e, now).select('due.id').as('id'))
      .where('webhook.id', '=', webhookId)
      .executeTakeFirst()
    return row?.id ?? null
  }

  async function settleWebhook(
    tx: Tx,
    webhookId: string,
    { sent, verdict, nowMs }: SettledTry,
  ): Promise<void> {
    const { webhook, delivery } = verdict
    if (webhook === null) return
    const change =
      webhook.is === 'well'
        ? { ...wellColumns, last_delivered_at: isoTime(nowMs) }
        : {
            failing_since: isoTime(webhook.sinceMs),
            last_failure: sent.failure,
            held_until: webhook.heldUntilMs === null ? null : isoTime(webhook.heldUntilMs),
            ...(delivery.state === 'failed' && {
              gave_up_at: sql<string>`coalesce(gave_up_at, ${isoTime(nowMs)})`,
            }),
            ...(webhook.pausedFor !== null && { paused: 1 as const, paused_reason: webhook.pausedFor }),
          }
    await tx.updateTable('webhook').set(change).where('id', '=', webhookId).execute()
  }

  return {
    /** Stores an entry that is sent to this webhook at once; answers with the id of the delivery, or null without one. */
    queueTest(
      { id, projectId }: Pick<WebhookRecord, 'id' | 'projectId'>,
      entry: Entry,
    ): Promise<string | null> {
      return db.transaction().execute(async (tx) => {
        const webhook = await tx
          .selectFrom('webhook')
          .select('id')
          .where('id', '=', id)
          .where('project_id', '=', projectId)
          .executeTakeFirst()
        if (!webhook) return null
        return queueAsked(tx, id, { id: await recordOne(tx, entry), at: isoTime(entry.at) })
      })
    },

    /** Has a delivery sent at once; false when that was asked already. */
    askAgain(deliveryId: string, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        if (!(await askAgain(tx, deliveryId, isoTime(entry.at)))) return false
        await record(tx, [entry])
        return true
      })
    },

    async findDelivery(webhookId: string, deliveryId: string): Promise<DeliveryRecord | null> {
      const row = await deliveries()
        .where('delivery.id', '=', deliveryId)
        .where('delivery.webhook_id', '=', webhookId)
        .executeTakeFirst()
      return row ? toDeliveryRecord(row) : null
    },

    /** Newest first. */
    async deliveries(
      webhookId: string,
      { before, state }: { before?: string | undefined; state?: WebhookDeliveryState | undefined },
      limit: number,
    ): Promise<DeliveryRecord[]> {
      let query = deliveries().where('delivery.webhook_id', '=', webhookId)
      if (before !== undefined) query = query.where('delivery.id', '<', before)
      if (state !== undefined) query = query.where('delivery.state', '=', state)
      return (await query.orderBy('delivery.id', 'desc').limit(limit).execute()).map(toDeliveryRecord)
    },

    /** Whether anybody has a webhook. */
    async isAny(): Promise<boolean> {
      return (await db.selectFrom('webhook').select('id').limit(1).executeTakeFirst()) !== undefined
    },

    /** The webhooks that have something to send at a time. */
    async dueWebhooks(now: string): Promise<string[]> {
      const [wanted, due] = await Promise.all([
        thawed().select('webhook.id').where('webhook.id', 'in', asked().select('webhook_id')).execute(),
        open(now)
          .select('webhook.id')
          .where((e) => e.exists(dueIn(e, now).select('due.id')))
          .execute(),
      ])
      return [...new Set([...wanted, ...due].map(({ id }) => id))]
    },

    /** When something that waits for a webhook may be sent; null while nothing waits, or nothing may be sent. */
    async nextAt(webhookId: string, now: string): Promise<string | null> {
      const webhook = await thawed()
        .select(['webhook.paused', 'webhook.held_until'])
        .where('webhook.id', '=', webhookId)
        .executeTakeFirst()
      if (!webhook || webhook.paused === 1) return null
      if (webhook.held_until !== null && webhook.held_until > now) return webhook.held_until
      const row = await db
        .selectFrom('webhook_delivery')
        .select((e) => e.fn.min('next_at').as('at'))
        .where('webhook_id', '=', webhookId)
        .where('state', '=', 'waiting')
        .executeTakeFirst()
      return row?.at ?? null
    },

    /**
     * What waits in all: of active webhooks with when the oldest of it happened, and of those to which nothing is sent. Each webhook is
     * asked by the index of its own, so it costs as much as waits, however many deliveries are kept.
     */
    async allWaiting(): Promise<{ active: number; paused: number; oldestAt: string | null }> {
      const waiting = (e: ExpressionBuilder<Schema, 'webhook'>) =>
        e
          .selectFrom('webhook_delivery as one')
          .whereRef('one.webhook_id', '=', 'webhook.id')
          .where('one.state', '=', 'waiting')
      const rows = await db
        .selectFrom('webhook')
        .select((e) => [
          e('webhook.id', 'in', thawed().select('webhook.id').where('webhook.paused', '=', 0)).as(
            'is_active',
          ),
          waiting(e)
            .select((one) => one.fn.countAll().as('n'))
            .as('n'),
          waiting(e)
            .select((one) => one.fn.min('one.id').as('id'))
            .as('oldest_id'),
        ])
        .execute()
      const [active, paused] = [rows.filter((row) => row.is_active), rows.filter((row) => !row.is_active)]
      const sum = (of: typeof rows) => of.reduce((all, { n }) => all + Number(n), 0)
      const oldestId = active.flatMap((row) => row.oldest_id ?? []).sort()[0]
      const oldest = oldestId && (await deliveries().where('delivery.id', '=', oldestId).executeTakeFirst())
      return { active: sum(active), paused: sum(paused), oldestAt: oldest ? oldest.at : null }
    },

    /** What a webhook is to be sent now. */
    async next(webhookId: string, now: string): Promise<DueDelivery | null> {
      const first = await firstOf(webhookId, now)
      if (first === null) return null
      const row = await deliveries().where('delivery.id', '=', first).executeTakeFirst()
      const webhook = await db
        .selectFrom('webhook')
        .selectAll()
        .where('id', '=', webhookId)
        .executeTakeFirst()
      return row && webhook ? { webhook: toRecord(webhook), delivery: toDeliveryRecord(row) } : null
    },

    /** Stores what came of a try; false when the delivery is gone, or another server tried meanwhile. */
    settle(
      { delivery, webhook }: DueDelivery,
      tried: SettledTry,
      entries: readonly Entry[],
    ): Promise<boolean> {
      const { sent, verdict, nowMs } = tried
      return db.transaction().execute(async (tx) => {
        const isSettled = await settleTry(tx, delivery, {
          state: verdict.delivery.state,
          next_at: verdict.delivery.state === 'waiting' ? isoTime(verdict.delivery.nextMs) : null,
          tried_at: isoTime(nowMs),
          status_code: sent.status,
          duration_ms: sent.durationMs,
          failure: sent.failure,
        })
        if (!isSettled) return false
        await settleWebhook(tx, webhook.id, tried)
        await record(tx, entries)
        return true
      })
    },

    deleteOld: (beforeMs: number, newest: number): Promise<void> => deleteOldDeliveries(db, beforeMs, newest),
  }
}
