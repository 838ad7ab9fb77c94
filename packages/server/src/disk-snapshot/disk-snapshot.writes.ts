/** What other features write into the table of disk snapshots, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'

/** Wishes the disk snapshots of a project deleted that is being deleted itself. */
export async function deleteDiskSnapshotsOfProject(tx: Tx, projectId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('disk_snapshot')
    .set({ status: 'deleting', status_since: isoTime(nowMs), project_id: null })
    .where('project_id', '=', projectId)
    .execute()
}

/** For the bin, which does not keep these items any more: nothing is left of these snapshots. Returns their ids. */
export async function dropDiskSnapshots(tx: Tx, binIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .updateTable('disk_snapshot')
    .set({ bin_id: null })
    .where('bin_id', 'in', binIds)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The disk snapshots of a project that comes back from the bin stay for a while, if their time was over. `until`: ISO 8601. */
export async function keepDiskSnapshotsOfProject(tx: Tx, projectId: string, until: string): Promise<void> {
  await tx
    .updateTable('disk_snapshot')
    .set({ expires_at: until })
    .where('project_id', '=', projectId)
    .where('expires_at', '<', until)
    .execute()
}
