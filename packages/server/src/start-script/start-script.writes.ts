/** What other features write into the tables of start scripts, each within a transaction of theirs. */
import { sql } from 'kysely'
import type { Tx } from '../db/open.ts'

/** What a row of `vm` runs as a member of its group: the script of the revision that it was made of. Null: nothing. */
export const scriptOfItsGroup = sql<string | null>`(
  select of_group.script from vm_group_start_script as of_group
  where of_group.group_id = vm.group_id and of_group.revision <= coalesce(vm.group_revision, 1)
  order by of_group.revision desc limit 1
)`

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

/** Gives a new member of a group, whose row is there, the start script of the group, if it has one. */
export async function addStartScriptOfGroup(tx: Tx, vmId: string): Promise<void> {
  const hasOne = await tx
    .selectFrom('vm')
    .select('id')
    .where('id', '=', vmId)
    .where(scriptOfItsGroup, 'is not', null)
    .executeTakeFirst()
  if (hasOne) await addStartScript(tx, vmId, null)
}

/** A VM that leaves its group keeps the start script that it has of it. */
export async function keepStartScriptOfGroup(
  tx: Tx,
  vmId: string,
  { groupId, revision }: { groupId: string; revision: number },
): Promise<void> {
  await tx
    .updateTable('vm_start_script')
    .set((e) => ({
      script: e
        .selectFrom('vm_group_start_script')
        .select('script')
        .where('group_id', '=', groupId)
        .where('revision', '<=', revision)
        .orderBy('revision', 'desc')
        .limit(1),
    }))
    .where('vm_id', '=', vmId)
    .where('script', 'is', null)
    .execute()
}
