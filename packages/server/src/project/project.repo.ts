import type { Project } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import type { ProjectTable } from '../db/schema.ts'

const toProject = ({ id, name, description, created_at }: ProjectTable): Project => ({
  id,
  name,
  description,
  created_at,
})

export type ProjectRepo = ReturnType<typeof makeProjectRepo>

export function makeProjectRepo(db: Db) {
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

    /** The project if it is this account's; null otherwise. */
    async find(accountId: string, projectId: string): Promise<Project | null> {
      const row = await db
        .selectFrom('project')
        .selectAll()
        .where('id', '=', projectId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ? toProject(row) : null
    },

    async insert(row: ProjectTable): Promise<void> {
      await db.insertInto('project').values(row).execute()
    },

    /**
     * Deletes a project without VMs, in one transaction; false when it has some. Its disks and snapshots become
     * wishes to delete them.
     */
    async deleteEmpty(projectId: string): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const vm = await tx
          .selectFrom('vm')
          .select('id')
          .where('project_id', '=', projectId)
          .where('wanted_deleted', '=', 0)
          .executeTakeFirst()
        if (vm) return false
        const gone = { status: 'deleting', project_id: null }
        await tx
          .updateTable('disk')
          .set({ ...gone, vm_id: null })
          .where('project_id', '=', projectId)
          .execute()
        await tx.updateTable('vm_snapshot').set(gone).where('project_id', '=', projectId).execute()
        await tx.updateTable('disk_snapshot').set(gone).where('project_id', '=', projectId).execute()
        await tx.deleteFrom('project').where('id', '=', projectId).execute()
        return true
      })
    },
  }
}
