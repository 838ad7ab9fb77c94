/** What other features write into the table of members, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Makes the account that creates a project its owner. */
export async function addOwner(
  tx: Tx,
  project: { id: string; account_id: string; created_at: string },
): Promise<void> {
  const { id: project_id, account_id, created_at: since } = project
  await tx.insertInto('project_member').values({ project_id, account_id, role: 'owner', since }).execute()
}
