/**
 * What others write into the table of mails, each within a transaction of theirs. The log queues the mails of its entries here, and
 * whoever sends them stands upon the log: so the queue has a folder of its own, which knows neither.
 */
import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { MailQueueTable, Schema } from '../db/schema.ts'

/** SQLite takes 32,766 values in one statement. */
const rowsAtOnce = 1000

type QueuedMail = Pick<
  MailQueueTable,
  'id' | 'account_id' | 'purpose' | 'recipient' | 'created_at' | 'expires_at'
> & { content: string }

/** Queues mails in the transaction of what they tell of. */
export async function queueMails(tx: Tx, mails: readonly QueuedMail[]): Promise<void> {
  if (mails.length === 0) return
  const rows = mails.map(
    (mail): MailQueueTable => ({
      id: mail.id,
      account_id: mail.account_id,
      purpose: mail.purpose,
      recipient: mail.recipient,
      content: mail.content,
      state: 'waiting',
      tries: 0,
      next_at: mail.created_at,
      claim: null,
      tried_at: null,
      created_at: mail.created_at,
      expires_at: mail.expires_at,
      failure: null,
    }),
  )
  await tx.insertInto('mail_queue').values(rows).execute()
}

/** Forgets the mails of an account that is deleted; what waits of them is not sent any more. */
export async function forgetMailsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('mail_queue').where('account_id', '=', accountId).execute()
}

/**
 * Claims a try that is due: false when somebody did meanwhile. The try counts from now on, whatever becomes of it, so a server that is
 * killed while it sends costs one more try and no more.
 */
export async function claimTry(
  tx: Tx,
  { id, tries }: { id: string; tries: number },
  { claim, now, againAt }: { claim: string; now: string; againAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mail_queue')
    .set({ tries: tries + 1, tried_at: now, next_at: againAt, claim })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('tries', '=', tries)
    .where('next_at', '<=', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Stores what came of a claimed try; false when the claim was over and another try was asked for, or the mail is gone. */
export async function settleMail(
  db: Db,
  { id, claim }: { id: string; claim: string },
  result: Pick<MailQueueTable, 'state' | 'next_at' | 'failure'> & { content?: null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mail_queue')
    .set({ ...result, claim: null })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** That no try is under way. */
const isAtRest = (now: string) => (e: ExpressionBuilder<Schema, 'mail_queue'>) =>
  e.or([e('claim', 'is', null), e('next_at', '<=', now)])

/** Has a mail sent at once that failed or waits; false when it is being sent, or that is not possible any more. */
export async function sendAgain(tx: Tx, id: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mail_queue')
    .set({ state: 'waiting', tries: 0, next_at: now, claim: null, failure: null })
    .where('id', '=', id)
    .where('state', '!=', 'sent')
    .where(isAtRest(now))
    .where('content', 'is not', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Has all mails sent at once that wait for another try. */
export async function hurryMails(db: Db, now: string): Promise<void> {
  await db
    .updateTable('mail_queue')
    .set({ next_at: now })
    .where('state', '=', 'waiting')
    .where('claim', 'is', null)
    .where('next_at', '>', now)
    .execute()
}

/**
 * Ends mails whose secret is of no use any more, and deletes that secret; answers with how many of them waited. One that is being
 * sent is ended by what comes of that.
 */
export async function expireMails(db: Db, now: string, failure: string): Promise<number> {
  const isAny = await db
    .selectFrom('mail_queue')
    .select('id')
    .where('state', 'in', ['waiting', 'failed'])
    .where('content', 'is not', null)
    .where('expires_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  if (!isAny) return 0
  const { numUpdatedRows } = await db
    .updateTable('mail_queue')
    .set({ state: 'failed', content: null, next_at: null, claim: null, failure })
    .where('state', '=', 'waiting')
    .where(isAtRest(now))
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow()
  await db
    .updateTable('mail_queue')
    .set({ content: null })
    .where('state', '=', 'failed')
    .where('content', 'is not', null)
    .where('expires_at', '<=', now)
    .execute()
  return Number(numUpdatedRows)
}

/** Deletes what was settled and is older than these times, and what is beyond the newest ones. */
export async function deleteOldMails(
  db: Db,
  before: { sent: string; failed: string },
  newest: number,
): Promise<void> {
  for (const state of ['sent', 'failed'] as const) {
    await deleteSome(db, state, (old) => old.where('created_at', '<', before[state]))
    const last = await db
      .selectFrom('mail_queue')
      .select('id')
      .where('state', '=', state)
      .orderBy('id', 'desc')
      .offset(newest - 1)
      .limit(1)
      .executeTakeFirst()
    if (last) await deleteSome(db, state, (old) => old.where('id', '<', last.id))
  }
}

async function deleteSome(
  db: Db,
  state: MailQueueTable['state'],
  which: (all: ReturnType<typeof idsOf>) => ReturnType<typeof idsOf>,
): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await db
      .deleteFrom('mail_queue')
      .where('id', 'in', which(idsOf(db, state)).limit(rowsAtOnce))
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) return
    await new Promise(setImmediate)
  }
}

const idsOf = (db: Db, state: MailQueueTable['state']) =>
  db.selectFrom('mail_queue').select('id').where('state', '=', state)
