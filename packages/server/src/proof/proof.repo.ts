import { proveSession } from '../account/account.writes.ts'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'

export type ProofRepo = ReturnType<typeof makeProofRepo>

export function makeProofRepo(db: Db) {
  return {
    /** Notes that the user of a session confirmed who they are. When `use` throws, nothing is stored. */
    async store(
      sessionId: string,
      now: string,
      entry: Entry,
      use: (tx: Tx) => Promise<void> = async () => {},
    ): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await use(tx)
        await proveSession(tx, sessionId, now)
        await record(tx, [entry])
      })
    },
  }
}
