import type { Db, Tx } from '../db/open.ts'
import type { VmStartScriptTable } from '../db/schema.ts'

export type StartScriptRepo = ReturnType<typeof makeStartScriptRepo>

/** How a start script ended. */
export type StartScriptEnd = Omit<VmStartScriptTable, 'vm_id' | 'script'>

export function makeStartScriptRepo(db: Db) {
  return {
    /** Stores the start script of a VM, in the transaction that stores the VM. */
    async add(tx: Tx, vmId: string, script: string): Promise<void> {
      const unrun = {
        state: 'waiting',
        message: null,
        exit_code: null,
        finished_at: null,
        output: '',
      } as const
      await tx
        .insertInto('vm_start_script')
        .values({ vm_id: vmId, script, ...unrun })
        .execute()
    },

    /** What a VM runs at its first boot; null where that is nothing. */
    async scriptOf(vmId: string): Promise<string | null> {
      const row = await db
        .selectFrom('vm_start_script')
        .select('script')
        .where('vm_id', '=', vmId)
        .executeTakeFirst()
      return row?.script ?? null
    },

    /** A VM that is not deleted, with what is known of its start script; null where there is no such VM. */
    async find(projectId: string, vmId: string) {
      const row = await db
        .selectFrom('vm')
        .leftJoin('vm_start_script as start', 'start.vm_id', 'vm.id')
        .select(['vm.persistent', 'vm.provisioned', 'vm.seen_power', 'start.script', 'start.state'])
        .select(['start.message', 'start.exit_code', 'start.finished_at', 'start.output'])
        .where('vm.id', '=', vmId)
        .where('vm.project_id', '=', projectId)
        .where('vm.wanted_deleted', '=', 0)
        .executeTakeFirst()
      return row ?? null
    },

    async storeEnd(vmId: string, end: StartScriptEnd): Promise<void> {
      await db.updateTable('vm_start_script').set(end).where('vm_id', '=', vmId).execute()
    },
  }
}
