import type { Project } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import type { ProjectTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'

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

    async insert(row: ProjectTable, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('project').values(row).execute()
        await record(tx, [entry])
      })
    },

    /**
     * Deletes a project without VMs, in one transaction; false when it has some. Its disks and snapshots become
     * wishes to delete them.
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
        const gone = { status: 'deleting', status_since: isoTime(entry.at), project_id: null }
        await tx
          .updateTable('disk')
          .set({ ...gone, vm_id: null })
          .where('project_id', '=', projectId)
          .execute()
        await tx.updateTable('vm_snapshot').set(gone).where('project_id', '=', projectId).execute()
        await tx.updateTable('disk_snapshot').set(gone).where('project_id', '=', projectId).execute()
        await tx.deleteFrom('project').where('id', '=', projectId).execute()
        await record(tx, [entry])
        return true
      })
    },
  }
}
