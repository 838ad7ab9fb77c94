/** What other features write into the table of shared ports, each within a transaction of theirs. */
import type { SelectQueryBuilder } from 'kysely'
import { record } from '../activity/record.ts'
import type { Tx } from '../db/open.ts'
import type { Schema } from '../db/schema.ts'
import { endedWithVm } from './share.activity.ts'

/**
 * Ends the shares of VMs that are being deleted, which is recorded. `vms` selects the ids of the VMs, whose rows are
 * still there. Returns the ids of the shares.
 */
export async function endSharesOf(
  tx: Tx,
  vms: SelectQueryBuilder<Schema, 'vm', { id: string }>,
  nowMs: number,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('share')
    .innerJoin('vm', 'vm.id', 'share.vm_id')
    .select(['share.id', 'share.port', 'share.project_id', 'vm.name as vm_name'])
    .where('share.vm_id', 'in', vms)
    .orderBy('share.id')
    .execute()
  if (rows.length === 0) return []
  await tx.deleteFrom('share').where('vm_id', 'in', vms).execute()
  await record(
    tx,
    rows.map((row) =>
      endedWithVm({ id: row.id, port: row.port, projectId: row.project_id, vmName: row.vm_name }, nowMs),
    ),
  )
  return rows.map(({ id }) => id)
}

/** Deletes the shares of a project that is being deleted itself. */
export async function deleteSharesOfProject(tx: Tx, projectId: string): Promise<void> {
  await tx.deleteFrom('share').where('project_id', '=', projectId).execute()
}

/** The shares of a project, for whoever tells the doors to close or to open them. */
export async function sharesOfProject(tx: Tx, projectId: string): Promise<string[]> {
  const rows = await tx.selectFrom('share').select('id').where('project_id', '=', projectId).execute()
  return rows.map(({ id }) => id)
}
