/** What other features write into the table of projects, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Says whose a project is. Its members are told apart in their own table. */
export async function setOwner(tx: Tx, projectId: string, accountId: string): Promise<void> {
  await tx.updateTable('project').set({ account_id: accountId }).where('id', '=', projectId).execute()
}

/** Switches the Internet access of a project; false when it is so already, or there is no such project. */
export async function setInternet(tx: Tx, projectId: string, internet: boolean): Promise<boolean> {
  const wanted = internet ? 1 : 0
  const { numUpdatedRows } = await tx
    .updateTable('project')
    .set({ internet: wanted })
    .where('id', '=', projectId)
    .where('internet', '!=', wanted)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Gives a project another name, because its own is taken when it comes back from the bin. */
export async function renameProject(tx: Tx, projectId: string, name: string): Promise<void> {
  await tx.updateTable('project').set({ name }).where('id', '=', projectId).execute()
}
