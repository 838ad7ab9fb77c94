import type { SeenTime } from '../lib/clock-guard.ts'
import type { Db } from './open.ts'

/** Where the clock guard keeps what it saw: one row. */
export const makeSeenTime = (db: Db) => ({
  async load(): Promise<SeenTime | null> {
    const row = await db.selectFrom('seen_time').selectAll().executeTakeFirst()
    return row ? { trustedMs: row.trusted_ms, watchedMs: row.watched_ms } : null
  },
  async store({ trustedMs, watchedMs }: SeenTime): Promise<void> {
    const seen = { trusted_ms: trustedMs, watched_ms: watchedMs }
    await db
      .insertInto('seen_time')
      .values({ id: 1, ...seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
      .execute()
  },
})
