/** What other features write into the table of snapshot schedules, each within a transaction of theirs. */
import type { SnapshotRhythms } from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import { nextDue } from './due.ts'

/** Has the schedules of what comes back from the bin go on from now: nothing was due meanwhile. */
export async function resumeSchedules(
  tx: Tx,
  { vmId, diskIds = [] }: { vmId?: string; diskIds?: readonly string[] },
  nowMs: number,
): Promise<void> {
  const rows = await tx
    .selectFrom('snapshot_schedule')
    .select(['id', 'rhythms', 'time_zone'])
    .where('paused', '=', 0)
    .where((e) =>
      e.or([
        ...(vmId === undefined ? [] : [e('vm_id', '=', vmId)]),
        ...(diskIds.length === 0 ? [] : [e('disk_id', 'in', diskIds)]),
      ]),
    )
    .execute()
  for (const { id, rhythms, time_zone } of rows) {
    // Written by the repo, in this form.
    const next = nextDue(JSON.parse(rhythms) as SnapshotRhythms, time_zone, nowMs)
    await tx
      .updateTable('snapshot_schedule')
      .set({ next_at: next === null ? null : isoTime(next), counted_at: isoTime(nowMs) })
      .where('id', '=', id)
      .execute()
  }
}
