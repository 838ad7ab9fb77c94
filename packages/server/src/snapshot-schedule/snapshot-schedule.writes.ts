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
  await resumeAll(tx, rows, nowMs)
}

/** The same for all that is in a project. */
export async function resumeSchedulesOfProject(tx: Tx, projectId: string, nowMs: number): Promise<void> {
  const rows = await tx
    .selectFrom('snapshot_schedule as schedule')
    .leftJoin('vm', 'vm.id', 'schedule.vm_id')
    .leftJoin('disk', 'disk.id', 'schedule.disk_id')
    .select(['schedule.id', 'schedule.rhythms', 'schedule.time_zone'])
    .where('schedule.paused', '=', 0)
    .where((e) => e(e.fn.coalesce('vm.project_id', 'disk.project_id'), '=', projectId))
    .execute()
  await resumeAll(tx, rows, nowMs)
}

async function resumeAll(
  tx: Tx,
  rows: readonly { id: string; rhythms: string; time_zone: string }[],
  nowMs: number,
): Promise<void> {
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
