import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'

export type DiskFileRepo = ReturnType<typeof makeDiskFileRepo>

export function makeDiskFileRepo(db: Db) {
  return {
    /** Records that somebody reads something, which changes nothing of it. */
    async note(entry: Entry): Promise<void> {
      await db.transaction().execute((tx) => record(tx, [entry]))
    },
  }
}
