/** What other features write into the table of members, each within a transaction of theirs. */
import type { ProjectRole } from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import type { ProjectMemberTable } from '../db/schema.ts'

/** Makes the account that creates a project its owner. */
export async function addOwner(
  tx: Tx,
  project: { id: string; account_id: string; created_at: string },
): Promise<void> {
  const { id: project_id, account_id, created_at: since } = project
  await tx.insertInto('project_member').values({ project_id, account_id, role: 'owner', since }).execute()
}

/** Puts the members of a project aside that goes to the bin: nobody is one until it is restored. Returns what they are, by account. */
export async function putMembersAside(tx: Tx, projectId: string): Promise<Record<string, ProjectRole>> {
  const rows = await tx
    .deleteFrom('project_member')
    .where('project_id', '=', projectId)
    .returningAll()
    .execute()
  if (rows.length > 0) await tx.insertInto('bin_member').values(rows).execute()
  return rolesOf(rows)
}

/** Makes those members again who were put aside, as far as their accounts are still there. Returns what they are, by account. */
export async function bringMembersBack(tx: Tx, projectId: string): Promise<Record<string, ProjectRole>> {
  const rows = await tx.deleteFrom('bin_member').where('project_id', '=', projectId).returningAll().execute()
  if (rows.length > 0) await tx.insertInto('project_member').values(rows).execute()
  return rolesOf(rows)
}

/** Makes a member the owner of a project, and the owner so far an operator. Returns what all are, by account. */
export async function makeOwner(
  tx: Tx,
  projectId: string,
  { from, to }: { from: string; to: string },
): Promise<Record<string, ProjectRole>> {
  const set = (accountId: string, role: ProjectRole) =>
    tx
      .updateTable('project_member')
      .set({ role })
      .where('project_id', '=', projectId)
      .where('account_id', '=', accountId)
      .execute()
  // In this order: there is one owner at a time.
  await set(from, 'operator')
  await set(to, 'owner')
  return rolesOf(
    await tx.selectFrom('project_member').selectAll().where('project_id', '=', projectId).execute(),
  )
}

const rolesOf = (rows: readonly ProjectMemberTable[]): Record<string, ProjectRole> =>
  Object.fromEntries(rows.map(({ account_id, role }) => [account_id, role]))
