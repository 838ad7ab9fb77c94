/** What other features write into the tables of start scripts, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Stores the start script of a VM whose row is there; null for that of its group. */
export async function addStartScript(tx: Tx, vmId: string, script: string | null): Promise<void> {
  await tx
    .insertInto('vm_start_script')
    .values({
      vm_id: vmId,
      script,
      state: 'waiting',
      message: null,
      exit_code: null,
      finished_at: null,
      output: '',
    })
    .execute()
}

/** Gives a new member of a group the start script of the group, if it has one. */
export async function addStartScriptOfGroup(tx: Tx, vmId: string, groupId: string): Promise<void> {
  const ofGroup = await tx
    .selectFrom('vm_group_start_script')
    .select('group_id')
    .where('group_id', '=', groupId)
    .executeTakeFirst()
  if (ofGroup) await addStartScript(tx, vmId, null)
}

/** A VM that leaves its group keeps the start script that it has of it. */
export async function keepStartScriptOfGroup(tx: Tx, vmId: string, groupId: string): Promise<void> {
  const ofGroup = await tx
    .selectFrom('vm_group_start_script')
    .select('script')
    .where('group_id', '=', groupId)
    .executeTakeFirst()
  if (!ofGroup) return
  await tx
    .updateTable('vm_start_script')
    .set({ script: ofGroup.script })
    .where('vm_id', '=', vmId)
    .where('script', 'is', null)
    .execute()
}
