/** What other features write into the table of VMs, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Wishes the members of a group deleted, at once and by force; those that are on their way out already stay so. */
export async function deleteMembersOf(tx: Tx, groupId: string): Promise<void> {
  await tx
    .updateTable('vm')
    .set((e) => ({
      wanted_deleted: 1,
      wanted_power: 'off',
      wanted_force: 1,
      version: e('version', '+', 1),
    }))
    .where('group_id', '=', groupId)
    .where('wanted_deleted', '=', 0)
    .execute()
}
