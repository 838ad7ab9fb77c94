import type { Project, ProjectRole } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { ProjectTable } from '../db/schema.ts'

type Row = Omit<ProjectTable, 'account_id' | 'internet'> & { owner_name: string; delete_at: string | null }

const toProject = (
  { id, name, description, created_at, owner_name, delete_at }: Row,
  role: ProjectRole,
): Project => ({
  id,
  name,
  description,
  created_at,
  role,
  owner_name,
  delete_at,
})

export type ProjectRepo = ReturnType<typeof makeProjectRepo>

/** Deletes, or wishes deleted, what a project has of one kind; part of the transaction that deletes the project. */
type DeleteOfProject = (tx: Tx, projectId: string, nowMs: number) => Promise<void>

/** Makes the account that creates a project its first member; part of the transaction that stores the project. */
type AddOwner = (tx: Tx, project: ProjectTable) => Promise<void>

/**
 * What features above add to the writes of projects, each in the same transaction.
 *
 * @param goesAlong what goes along with the deletion of a project, done in this order
 */
export function makeProjectRepo(db: Db, addOwner: AddOwner, goesAlong: readonly DeleteOfProject[]) {
  const projects = () =>
    db
      .selectFrom('project')
      .innerJoin('account as owner', 'owner.id', 'project.account_id')
      .leftJoin('account_deletion as leaving', 'leaving.account_id', 'owner.id')
      .select([
        'project.id',
        'project.name',
        'project.description',
        'project.created_at',
        'owner.name as owner_name',
        'leaving.delete_at',
      ])

  return {
    /** Those that an account is a member of. */
    async list(accountId: string): Promise<Project[]> {
      const rows = await projects()
        .innerJoin('project_member as member', 'member.project_id', 'project.id')
        .select('member.role')
        .where('member.account_id', '=', accountId)
        .orderBy('project.id')
        .execute()
      return rows.map((row) => toProject(row, row.role))
    },

    /** What an account is in a project; null: no member, or there is no such project. */
    async roleOf(accountId: string, projectId: string): Promise<ProjectRole | null> {
      const row = await db
        .selectFrom('project_member')
        .select('role')
        .where('project_id', '=', projectId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row?.role ?? null
    },

    /** The same, with whether the project is frozen because its owner is deleting their account. */
    async standingOf(
      accountId: string,
      projectId: string,
    ): Promise<{ role: ProjectRole; isFrozen: boolean } | null> {
      const row = await db
        .selectFrom('project_member as member')
        .innerJoin('project', 'project.id', 'member.project_id')
        .leftJoin('account_deletion as leaving', 'leaving.account_id', 'project.account_id')
        .select(['member.role', 'leaving.account_id as leaving_id'])
        .where('member.project_id', '=', projectId)
        .where('member.account_id', '=', accountId)
        .executeTakeFirst()
      return row ? { role: row.role, isFrozen: row.leaving_id !== null } : null
    },

    /** What each member of a project is in it, by account. */
    async rolesIn(projectId: string): Promise<Record<string, ProjectRole>> {
      const rows = await db
        .selectFrom('project_member')
        .select(['account_id', 'role'])
        .where('project_id', '=', projectId)
        .execute()
      return Object.fromEntries(rows.map(({ account_id, role }) => [account_id, role]))
    },

    /** As their owners see them. */
    async findAll(ids: readonly string[]): Promise<Project[]> {
      const rows = await projects().where('project.id', 'in', ids).execute()
      return rows.map((row) => toProject(row, 'owner'))
    },

    /** The names of projects, and who owns them. */
    async owners(ids: readonly string[]) {
      if (ids.length === 0) return []
      return db
        .selectFrom('project')
        .innerJoin('account', 'account.id', 'project.account_id')
        .select(['project.id', 'project.name', 'account.id as owner_id', 'account.name as owner_name'])
        .where('project.id', 'in', ids)
        .execute()
    },

    async insert(row: ProjectTable, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('project').values(row).execute()
        await addOwner(tx, row)
        await record(tx, [entry])
      })
    },

    /**
     * Deletes a project without VMs, in one transaction; false when it has some. What goes along with it is
     * deleted, or becomes a wish to delete it.
     */
    async deleteEmpty(projectId: string, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const vm = await tx
          .selectFrom('vm')
          .select('id')
          .where('project_id', '=', projectId)
          .where('wanted_deleted', '=', 0)
          .executeTakeFirst()
        if (vm) return false
        for (const deleteOfProject of goesAlong) await deleteOfProject(tx, projectId, entry.at)
        await tx.deleteFrom('project').where('id', '=', projectId).execute()
        await record(tx, [entry])
        return true
      })
    },
  }
}
