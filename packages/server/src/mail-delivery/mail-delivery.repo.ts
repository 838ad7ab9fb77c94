import type { AdminMail, AdminMailState } from '@slipway/contract'
import type { ExpressionBuilder } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import type { MailQueueTable, Schema } from '../db/schema.ts'
import { newId } from '../lib/id.ts'
import {
  claimTry,
  deleteOldMails,
  expireMails,
  hurryMails,
  sendAgain,
  settleMail,
} from '../mail-queue/mail-queue.writes.ts'

/** A mail whose try was claimed. */
export interface ClaimedMail {
  id: string
  claim: string
  purpose: string
  recipient: string
  content: string
  /** This one included. */
  tries: number
  expiresAt: string | null
}

/** How mails are doing. */
export interface MailFigures {
  waiting: number
  failed: number
  /** When the oldest was queued that waits; null: none does. */
  oldestAt: string | null
  /** Why the last try failed of one that waits or failed, newest first; null: none did. */
  lastFailure: string | null
}

export type MailDeliveryRepo = ReturnType<typeof makeMailDeliveryRepo>

export function makeMailDeliveryRepo(db: Db) {
  return {
    /** Claims the mail that is due first. Its try is over at `againAt`, whatever becomes of it. */
    claim(now: string, againAt: string): Promise<ClaimedMail | null> {
      const claim = newId(Date.parse(now))
      return db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('mail_queue')
          .selectAll()
          .where('state', '=', 'waiting')
          .where('next_at', '<=', now)
          .where(isOfUse(now))
          .orderBy('next_at')
          .orderBy('id')
          .limit(1)
          .executeTakeFirst()
        // One that waits has its content.
        if (!row || row.content === null || !(await claimTry(tx, row, { claim, now, againAt }))) return null
        const { id, purpose, recipient, content, tries, expires_at: expiresAt } = row
        return { id, claim, purpose, recipient, content, tries: tries + 1, expiresAt }
      })
    },

    settle: (mail: ClaimedMail, result: Parameters<typeof settleMail>[2]): Promise<boolean> =>
      settleMail(db, mail, result),

    /** When the next try is due of those that wait and are still of use; null: none is. */
    async nextAt(now: string): Promise<string | null> {
      const row = await db
        .selectFrom('mail_queue')
        .select((e) => e.fn.min('next_at').as('at'))
        .where('state', '=', 'waiting')
        .where(isOfUse(now))
        .executeTakeFirst()
      return row?.at ?? null
    },

    hurry: (now: string): Promise<void> => hurryMails(db, now),
    expire: (now: string, failure: string): Promise<number> => expireMails(db, now, failure),
    deleteOld: (...args: Parameters<typeof deleteOldMails> extends [Db, ...infer Rest] ? Rest : never) =>
      deleteOldMails(db, ...args),

    /** Newest first. */
    async page(
      { before, state }: { before?: string | undefined; state?: AdminMailState | undefined },
      limit: number,
      now: string,
    ): Promise<AdminMail[]> {
      let query = db.selectFrom('mail_queue').selectAll()
      if (before !== undefined) query = query.where('id', '<', before)
      if (state !== undefined) query = query.where('state', '=', state)
      const rows = await query.orderBy('id', 'desc').limit(limit).execute()
      return rows.map((row) => toAdminMail(row, now))
    },

    async find(id: string, now: string): Promise<AdminMail | null> {
      const row = await db.selectFrom('mail_queue').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toAdminMail(row, now) : null
    },

    /** Has one sent at once, with the entry that says who asked; false when that is not possible any more. */
    sendAgain(id: string, now: string, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        if (!(await sendAgain(tx, id, now))) return false
        await record(tx, [entry])
        return true
      })
    },

    /** How mails are doing; of those that failed, those that were queued after a time. */
    async figures(failedSince: string): Promise<MailFigures> {
      const [waiting, failed, last] = await Promise.all([
        db
          .selectFrom('mail_queue')
          .select((e) => [e.fn.countAll<number | string>().as('n'), e.fn.min('created_at').as('at')])
          .where('state', '=', 'waiting')
          .executeTakeFirstOrThrow(),
        db
          .selectFrom('mail_queue')
          .select((e) => e.fn.countAll<number | string>().as('n'))
          .where('state', '=', 'failed')
          .where('created_at', '>=', failedSince)
          .executeTakeFirstOrThrow(),
        db
          .selectFrom('mail_queue')
          .select('failure')
          .where('state', 'in', ['waiting', 'failed'])
          .where('failure', 'is not', null)
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst(),
      ])
      return {
        waiting: Number(waiting.n),
        failed: Number(failed.n),
        oldestAt: waiting.at ?? null,
        lastFailure: last?.failure ?? null,
      }
    },
  }
}

/** That the secret in it, if it has one, still is. */
const isOfUse = (now: string) => (e: ExpressionBuilder<Schema, 'mail_queue'>) =>
  e.or([e('expires_at', 'is', null), e('expires_at', '>', now)])

function toAdminMail(row: MailQueueTable, now: string): AdminMail {
  const isBeingSent = row.claim !== null && row.next_at !== null && row.next_at > now
  const isOver = row.content === null || (row.expires_at !== null && row.expires_at <= now)
  return {
    id: row.id,
    purpose: row.purpose,
    recipient: row.recipient,
    account_id: row.account_id,
    state: row.state,
    created_at: row.created_at,
    tries: row.tries,
    tried_at: row.tried_at,
    is_being_sent: isBeingSent,
    next_try_at: isBeingSent ? null : row.next_at,
    expires_at: row.expires_at,
    failure: row.failure,
    can_be_sent: row.state !== 'sent' && !isBeingSent && !isOver,
  }
}
