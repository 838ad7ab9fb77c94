import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { VmStartScriptTable } from '../db/schema.ts'
import { addStartScript, scriptOfItsGroup } from './start-script.writes.ts'

export type StartScriptRepo = ReturnType<typeof makeStartScriptRepo>

/** How a start script ended. */
export type StartScriptEnd = Omit<VmStartScriptTable, 'vm_id' | 'script'>

export function makeStartScriptRepo(db: Db) {
  return {
    /** Stores the start script of a VM, in the transaction that stores the VM. */
    add: (tx: Tx, vmId: string, script: string): Promise<void> => addStartScript(tx, vmId, script),

    /** Stores what members of a group run from a revision on, in the transaction that stores the revision. */
    async addToGroup(tx: Tx, groupId: string, revision: number, script: string | null): Promise<void> {
      await tx.insertInto('vm_group_start_script').values({ group_id: groupId, revision, script }).execute()
    },

    /** What the members of a group run, from which revision on, the oldest first. */
    async scriptsOfGroup(tx: Tx, groupId: string): Promise<{ revision: number; script: string | null }[]> {
      return tx
        .selectFrom('vm_group_start_script')
        .select(['revision', 'script'])
        .where('group_id', '=', groupId)
        .orderBy('revision')
        .execute()
    },

    /** Forgets the scripts of a group that no member has any more, nor one of this revision that may be on its way. */
    async dropUnused(tx: Tx, groupId: string, revision: number): Promise<void> {
      const { oldest } = await tx
        .selectFrom('vm')
        .select(sql<number | null>`min(coalesce(group_revision, 1))`.as('oldest'))
        .where('group_id', '=', groupId)
        .executeTakeFirstOrThrow()
      const { needed } = await tx
        .selectFrom('vm_group_start_script')
        .select((e) => e.fn.max<number | null>('revision').as('needed'))
        .where('group_id', '=', groupId)
        .where('revision', '<=', Math.min(Number(oldest ?? revision), revision))
        .executeTakeFirstOrThrow()
      if (needed === null) return
      await tx
        .deleteFrom('vm_group_start_script')
        .where('group_id', '=', groupId)
        .where('revision', '<', Number(needed))
        .execute()
    },

    /** What a VM runs at its first boot; null where that is nothing. */
    async scriptOf(vmId: string): Promise<string | null> {
      const row = await db
        .selectFrom('vm_start_script as start')
        .innerJoin('vm', 'vm.id', 'start.vm_id')
        .select((e) => e.fn.coalesce('start.script', scriptOfItsGroup).as('script'))
        .where('start.vm_id', '=', vmId)
        .executeTakeFirst()
      return row?.script ?? null
    },

    /** A VM that is not deleted, with what is known of its start script; null where there is no such VM. */
    async find(projectId: string, vmId: string) {
      const row = await db
        .selectFrom('vm')
        .leftJoin('vm_start_script as start', 'start.vm_id', 'vm.id')
        .select(['vm.persistent', 'vm.provisioned', 'vm.seen_power', 'start.state'])
        .select(['start.message', 'start.exit_code', 'start.finished_at', 'start.output'])
        .select((e) => e.fn.coalesce('start.script', scriptOfItsGroup).as('script'))
        .where('vm.id', '=', vmId)
        .where('vm.project_id', '=', projectId)
        .where('vm.wanted_deleted', '=', 0)
        .executeTakeFirst()
      // A VM of a group that has none of its own is a copy of a snapshot, or older than the script.
      return row ? { ...row, script: row.state === null ? null : row.script } : null
    },

    async storeEnd(vmId: string, end: StartScriptEnd): Promise<void> {
      await db.updateTable('vm_start_script').set(end).where('vm_id', '=', vmId).execute()
    },
  }
}
