import type { Project, ProjectRole } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { ProjectTable } from '../db/schema.ts'

const toProject = ({ id, name, description, created_at }: ProjectTable): Project => ({
  id,
  name,
  description,
  created_at,
})

export type ProjectRepo = ReturnType<typeof makeProjectRepo>

/** Deletes, or wishes deleted, what a project has of one kind; part of the transaction that deletes the project. */
type DeleteOfProject = (tx: Tx, projectId: string, nowMs: number) => Promise<void>

/** `goesAlong`: what features above add to the deletion of a project, done in this order. */
export function makeProjectRepo(db: Db, goesAlong: readonly DeleteOfProject[]) {
  return {
    async list(accountId: string): Promise<Project[]> {
      const rows = await db
        .selectFrom('project')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute()
      return rows.map(toProject)
    },

    /** What an account is in a project; null: no member, or there is no such project. */
    async roleOf(accountId: string, projectId: string): Promise<ProjectRole | null> {
      const row = await db
        .selectFrom('project')
        .select('id')
        .where('id', '=', projectId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ? 'owner' : null
    },

    async findAll(ids: readonly string[]): Promise<Project[]> {
      return (await db.selectFrom('project').selectAll().where('id', 'in', ids).execute()).map(toProject)
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
