import type { Db } from '../db/open.ts'
import { type Told, tellingActions } from './start-times.plan.ts'

/** How far back it looks, whatever else was recorded since: a look is short on every installation. */
const entriesAtMost = 5000

export type StartTimesRepo = ReturnType<typeof makeStartTimesRepo>

export const makeStartTimesRepo = (db: Db) => ({
  /** What the newest of the activity log tells of the starts of VMs, oldest first. */
  async told(): Promise<Told[]> {
    const rows = await db
      .selectFrom(
        db
          .selectFrom('activity')
          .select(['id', 'action', 'object_id', 'at'])
          .orderBy('id', 'desc')
          .limit(entriesAtMost)
          .as('newest'),
      )
      .select(['action', 'object_id', 'at'])
      .where('action', 'in', tellingActions)
      .orderBy('id')
      .execute()
    return rows.map(({ action, object_id, at }) => ({ action, vmId: object_id, at: Date.parse(at) }))
  },
})
