/** What other features write into the table of VM snapshots, each within a transaction of theirs. */
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Tx } from '../db/open.ts'
import type { VmSnapshotTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'

/** Adds a snapshot that is already made, and records it. Once, however often it is done. */
export async function addVmSnapshot(tx: Tx, row: VmSnapshotTable, entry: Entry): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('vm_snapshot')
    .values(row)
    .onConflict((c) => c.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 1n) await record(tx, [entry])
}

/** Wishes the VM snapshots of a project deleted that is being deleted itself. */
export async function deleteVmSnapshotsOfProject(tx: Tx, projectId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('vm_snapshot')
    .set({ status: 'deleting', status_since: isoTime(nowMs), project_id: null })
    .where('project_id', '=', projectId)
    .execute()
}

/** For the bin, which does not keep these items any more: nothing is left of these snapshots. Returns their ids. */
export async function dropVmSnapshots(tx: Tx, binIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .updateTable('vm_snapshot')
    .set({ bin_id: null })
    .where('bin_id', 'in', binIds)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The VM snapshots of a project that comes back from the bin stay for a while, if their time was over. `until`: ISO 8601. */
export async function keepVmSnapshotsOfProject(tx: Tx, projectId: string, until: string): Promise<void> {
  await tx
    .updateTable('vm_snapshot')
    .set({ expires_at: until })
    .where('project_id', '=', projectId)
    .where('expires_at', '<', until)
    .execute()
}
