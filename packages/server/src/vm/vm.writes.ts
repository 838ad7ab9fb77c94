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

/** Wishes the VMs of a project deleted that is being deleted itself, at once and by force. */
export async function deleteVmsOfProject(tx: Tx, projectId: string): Promise<void> {
  await tx
    .updateTable('vm')
    .set((e) => ({
      wanted_deleted: 1,
      wanted_power: 'off',
      wanted_force: 1,
      power_back: null,
      version: e('version', '+', 1),
    }))
    .where('project_id', '=', projectId)
    .where('wanted_deleted', '=', 0)
    .execute()
}
