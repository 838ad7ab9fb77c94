import { type Notice, noticeTones } from '@slipway/contract'
import { z } from 'zod'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'

const Tone = z.enum(noticeTones)

export type NoticeRepo = ReturnType<typeof makeNoticeRepo>

export function makeNoticeRepo(db: Db) {
  return {
    /** Null when there is none. */
    async find(): Promise<Notice | null> {
      const row = await db.selectFrom('notice').selectAll().executeTakeFirst()
      return row ? { tone: Tone.parse(row.tone), text: row.text, set_at: row.set_at } : null
    },

    /** Stores it in place of the one there is. */
    async set(notice: Notice, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx
          .insertInto('notice')
          .values({ id: 1, ...notice })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(notice))
          .execute()
        await record(tx, [entry])
      })
    },

    /** False when there is none. */
    async remove(entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const gone = await tx.deleteFrom('notice').where('id', '=', 1).returning('id').executeTakeFirst()
        if (!gone) return false
        await record(tx, [entry])
        return true
      })
    },
  }
}
