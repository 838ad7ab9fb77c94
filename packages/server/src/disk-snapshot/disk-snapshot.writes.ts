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
