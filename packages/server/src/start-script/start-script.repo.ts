import type { Db, Tx } from '../db/open.ts'
import type { VmStartScriptTable } from '../db/schema.ts'
import { addStartScript } from './start-script.writes.ts'

export type StartScriptRepo = ReturnType<typeof makeStartScriptRepo>

/** How a start script ended. */
export type StartScriptEnd = Omit<VmStartScriptTable, 'vm_id' | 'script'>

export function makeStartScriptRepo(db: Db) {
  return {
    /** Stores the start script of a VM, in the transaction that stores the VM. */
    add: (tx: Tx, vmId: string, script: string): Promise<void> => addStartScript(tx, vmId, script),

    /** Stores the start script of a group, in the transaction that stores the group. */
    async addToGroup(tx: Tx, groupId: string, script: string): Promise<void> {
      await tx.insertInto('vm_group_start_script').values({ group_id: groupId, script }).execute()
    },

    /** What each new member of a group runs; null where that is nothing. */
    async scriptOfGroup(groupId: string): Promise<string | null> {
      const row = await db
        .selectFrom('vm_group_start_script')
        .select('script')
        .where('group_id', '=', groupId)
        .executeTakeFirst()
      return row?.script ?? null
    },

    /** What a VM runs at its first boot; null where that is nothing. */
    async scriptOf(vmId: string): Promise<string | null> {
      const row = await db
        .selectFrom('vm_start_script as start')
        .innerJoin('vm', 'vm.id', 'start.vm_id')
        .leftJoin('vm_group_start_script as ofGroup', 'ofGroup.group_id', 'vm.group_id')
        .select((e) => e.fn.coalesce('start.script', 'ofGroup.script').as('script'))
        .where('start.vm_id', '=', vmId)
        .executeTakeFirst()
      return row?.script ?? null
    },

    /** A VM that is not deleted, with what is known of its start script; null where there is no such VM. */
    async find(projectId: string, vmId: string) {
      const row = await db
        .selectFrom('vm')
        .leftJoin('vm_start_script as start', 'start.vm_id', 'vm.id')
        .leftJoin('vm_group_start_script as ofGroup', 'ofGroup.group_id', 'vm.group_id')
        .select(['vm.persistent', 'vm.provisioned', 'vm.seen_power', 'start.state'])
        .select(['start.message', 'start.exit_code', 'start.finished_at', 'start.output'])
        .select((e) => e.fn.coalesce('start.script', 'ofGroup.script').as('script'))
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
