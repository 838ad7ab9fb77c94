import type { Entry } from '../activity/entry.ts'
import { recordVisit } from '../activity/record.ts'
import type { Db } from '../db/open.ts'

export type DiskFileRepo = ReturnType<typeof makeDiskFileRepo>

export function makeDiskFileRepo(db: Db) {
  return {
    /** Records that somebody reads something, which changes nothing of it; the parts of one transfer are one entry. */
    note: (entry: Entry): Promise<void> => recordVisit(db, entry),
  }
}
