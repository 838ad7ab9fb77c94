/** What other features write into the table of VMs, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Wishes VMs deleted, at once and by force; those that are on their way out already stay so. */
async function wishDeleted(tx: Tx, of: 'group_id' | 'project_id', id: string): Promise<void> {
  await tx
    .updateTable('vm')
    .set((e) => ({
      wanted_deleted: 1,
      wanted_power: 'off',
      wanted_force: 1,
      power_back: null,
      version: e('version', '+', 1),
    }))
    .where(of, '=', id)
    .where('wanted_deleted', '=', 0)
    .execute()
}

/** The members of a group go with it. */
export const deleteMembersOf = (tx: Tx, groupId: string): Promise<void> =>
  wishDeleted(tx, 'group_id', groupId)

/** The VMs of a project go with it. */
export const deleteVmsOfProject = (tx: Tx, projectId: string): Promise<void> =>
  wishDeleted(tx, 'project_id', projectId)

/** For the bin, which does not keep something any more: nothing is left of these VMs. Returns their ids. */
export async function dropVms(tx: Tx, binId: string): Promise<string[]> {
  const rows = await tx
    .updateTable('vm')
    .set((e) => ({ bin_id: null, wanted_power: 'off', wanted_force: 1, version: e('version', '+', 1) }))
    .where('bin_id', '=', binId)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
