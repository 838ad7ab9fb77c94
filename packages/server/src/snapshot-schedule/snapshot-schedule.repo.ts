import type { SnapshotRhythm, SnapshotRhythms } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { SnapshotScheduleTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { type Missed, missedWith } from './missed.ts'
import type { Taken } from './snapshot-schedule.plan.ts'

/** What a schedule is of. */
export interface Scheduled {
  kind: 'vm' | 'disk'
  id: string
  name: string
  projectId: string
}

export interface ScheduleSettings {
  rhythms: SnapshotRhythms
  timeZone: string
  snapshotType: string
  paused: boolean
}

export interface ScheduleRecord extends ScheduleSettings {
  id: string
  nextAt: string | null
  last: {
    dueAt: string
    snapshotId: string | null
    /** Of the snapshot; null when it is not there any more. */
    status: string | null
    message: string | null
  } | null
  missed: Missed | null
  notDeleted: string | null
}

/** A schedule for which it is time to do something. */
export interface DueRecord extends ScheduleSettings {
  id: string
  of: Scheduled
  nextAt: string
  countedAt: string
  /** Whether it is time to look for surplus snapshots. */
  thins: boolean
  /** Its project is frozen, because its owner is deleting their account. */
  isFrozen: boolean
  missed: Missed | null
}

/** What happened when a schedule was due. */
export interface DueOutcome {
  dueAt: number
  /** Null when none was taken. */
  snapshotId: string | null
  refusal: string | null
  /** Due times that no snapshot was taken for, oldest first, and why. */
  missed: readonly number[]
  reason: string
}

/** Somebody dealt with it first: another look, or a change of the schedule. */
export class Overtaken extends Error {}

export type SnapshotScheduleRepo = ReturnType<typeof makeSnapshotScheduleRepo>

const columnOf = { vm: 'vm_id', disk: 'disk_id' } as const

type MissedColumns = Pick<
  SnapshotScheduleTable,
  'missed_count' | 'missed_since' | 'missed_until' | 'missed_reason'
>

function missedOf(row: MissedColumns): Missed | null {
  const { missed_count: count, missed_since: since, missed_until: until, missed_reason: reason } = row
  return since === null || until === null || reason === null ? null : { count, since, until, reason }
}

type SettingsColumns = Pick<SnapshotScheduleTable, 'rhythms' | 'time_zone' | 'snapshot_type' | 'paused'>

const settingsOf = (row: SettingsColumns): ScheduleSettings => ({
  // Written here, in this form.
  rhythms: JSON.parse(row.rhythms) as SnapshotRhythms,
  timeZone: row.time_zone,
  snapshotType: row.snapshot_type,
  paused: row.paused === 1,
})

const settingsRow = ({ rhythms, timeZone, snapshotType, paused }: ScheduleSettings) => ({
  rhythms: JSON.stringify({ hourly: rhythms.hourly, daily: rhythms.daily, weekly: rhythms.weekly }),
  time_zone: timeZone,
  snapshot_type: snapshotType,
  paused: paused ? (1 as const) : (0 as const),
})

export function makeSnapshotScheduleRepo(db: Db) {
  const withLast = () =>
    db
      .selectFrom('snapshot_schedule as schedule')
      .leftJoin('vm_snapshot as ofVm', 'ofVm.id', 'schedule.last_snapshot_id')
      .leftJoin('disk_snapshot as ofDisk', 'ofDisk.id', 'schedule.last_snapshot_id')
      .selectAll('schedule')
      .select((e) => [
        e.fn.coalesce('ofVm.status', 'ofDisk.status').as('status'),
        e.fn.coalesce('ofVm.status_message', 'ofDisk.status_message').as('status_message'),
      ])

  function toRecord(
    row: SnapshotScheduleTable & { status: string | null; status_message: string | null },
  ): ScheduleRecord {
    return {
      ...settingsOf(row),
      id: row.id,
      nextAt: row.next_at,
      last:
        row.last_due_at === null
          ? null
          : {
              dueAt: row.last_due_at,
              snapshotId: row.last_snapshot_id,
              status: row.status,
              message: row.last_refusal ?? row.status_message,
            },
      missed: missedOf(row),
      notDeleted: row.not_deleted,
    }
  }

  /** Puts down what came of a due time, once: only while the schedule is still due as it was seen. */
  async function settle(
    tx: Tx,
    schedule: DueRecord,
    { nextAt, nowMs }: { nextAt: number | null; nowMs: number },
    outcome: DueOutcome | null,
    entries: readonly Entry[],
  ): Promise<void> {
    const missed = outcome && missedWith(schedule.missed, outcome, nowMs)
    const { numUpdatedRows } = await tx
      .updateTable('snapshot_schedule')
      .set({
        next_at: nextAt === null ? null : isoTime(nextAt),
        counted_at: isoTime(nowMs),
        ...(outcome && {
          last_due_at: isoTime(outcome.dueAt),
          last_snapshot_id: outcome.snapshotId,
          last_refusal: outcome.refusal,
        }),
        ...(outcome?.snapshotId != null && { thin_at: isoTime(nowMs) }),
        ...(missed && {
          missed_count: missed.count,
          missed_since: missed.since,
          missed_until: missed.until,
          missed_reason: missed.reason,
        }),
      })
      .where('id', '=', schedule.id)
      .where('next_at', '=', schedule.nextAt)
      .where('counted_at', '=', schedule.countedAt)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Overtaken()
    await record(tx, entries)
  }

  return {
    async find({ kind, id }: Pick<Scheduled, 'kind' | 'id'>): Promise<ScheduleRecord | null> {
      const row = await withLast().where(`schedule.${columnOf[kind]}`, '=', id).executeTakeFirst()
      return row ? toRecord(row) : null
    },

    /** The schedules in a project, of what is not being deleted. */
    async list(
      projectId: string,
    ): Promise<{ kind: 'vm' | 'disk'; objectId: string; record: ScheduleRecord }[]> {
      const rows = await withLast()
        .where((e) =>
          e.or([
            e(
              'schedule.vm_id',
              'in',
              e
                .selectFrom('vm')
                .select('id')
                .where('project_id', '=', projectId)
                .where('wanted_deleted', '=', 0),
            ),
            e(
              'schedule.disk_id',
              'in',
              e
                .selectFrom('disk')
                .select('id')
                .where('project_id', '=', projectId)
                .where('status', '!=', 'deleting'),
            ),
          ]),
        )
        .orderBy('schedule.id')
        .execute()
      return rows.map((row) => ({
        kind: row.vm_id === null ? 'disk' : 'vm',
        // A constraint of the table: one of the two is there.
        objectId: row.vm_id ?? row.disk_id ?? '',
        record: toRecord(row),
      }))
    },

    /** Stores what somebody set, and records it; false when it was so already. */
    put(
      { kind, id }: Scheduled,
      settings: ScheduleSettings,
      { nextAt, nowMs }: { nextAt: number | null; nowMs: number },
      entry: Entry,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const column = columnOf[kind]
        const row = settingsRow(settings)
        const known = await tx
          .selectFrom('snapshot_schedule')
          .select(['id', 'next_at', 'rhythms', 'time_zone', 'snapshot_type', 'paused'])
          .where(column, '=', id)
          .executeTakeFirst()
        if (known && JSON.stringify({ ...known, ...row }) === JSON.stringify(known)) return false
        const now = isoTime(nowMs)
        const next = nextAt === null ? null : isoTime(nextAt)
        // What is due in this moment is not lost by a change.
        const isDue = next !== null && known?.next_at != null && known.next_at <= now
        const times = { next_at: isDue ? known.next_at : next, counted_at: now }
        if (known)
          await tx
            .updateTable('snapshot_schedule')
            .set({ ...row, ...times, not_deleted: null })
            .where('id', '=', known.id)
            .execute()
        else
          await tx
            .insertInto('snapshot_schedule')
            .values({ ...row, ...times, id: newId(nowMs), [column]: id, missed_count: 0 })
            .execute()
        await record(tx, [entry])
        return true
      })
    },

    /** False when there is none. */
    remove({ kind, id }: Scheduled, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('snapshot_schedule')
          .where(columnOf[kind], '=', id)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await record(tx, [entry])
        return true
      })
    },

    /** The schedules of what is not being deleted for which it is time to do something. */
    async due(nowMs: number): Promise<DueRecord[]> {
      const now = isoTime(nowMs)
      const rows = await db
        .selectFrom('snapshot_schedule as schedule')
        .leftJoin('vm', (join) => join.onRef('vm.id', '=', 'schedule.vm_id').on('vm.wanted_deleted', '=', 0))
        .leftJoin('disk', (join) =>
          join.onRef('disk.id', '=', 'schedule.disk_id').on('disk.status', '!=', 'deleting'),
        )
        .leftJoin('project', (join) =>
          join.on((e) => e('project.id', '=', e.fn.coalesce('vm.project_id', 'disk.project_id'))),
        )
        .leftJoin('account_deletion as leaving', 'leaving.account_id', 'project.account_id')
        .selectAll('schedule')
        .select((e) => [
          'project.id as project_id',
          'leaving.account_id as leaving_id',
          e.fn.coalesce('vm.name', 'disk.name').as('name'),
        ])
        .where('schedule.paused', '=', 0)
        .where('project.id', 'not in', projectsInBin(db))
        .where((e) =>
          e.or([
            e('schedule.next_at', '<=', now),
            e('schedule.thin_at', '<=', now),
            e('schedule.counted_at', '>', now),
          ]),
        )
        .orderBy('schedule.next_at')
        .execute()
      return rows.flatMap((row) => {
        if (row.project_id === null || row.name === null || row.next_at === null) return []
        const { vm_id, disk_id, name, project_id: projectId } = row
        return {
          ...settingsOf(row),
          id: row.id,
          of: { kind: vm_id === null ? 'disk' : 'vm', id: vm_id ?? disk_id ?? '', name, projectId } as const,
          nextAt: row.next_at,
          countedAt: row.counted_at,
          thins: row.thin_at !== null && row.thin_at <= now,
          isFrozen: row.leaving_id !== null,
          missed: missedOf(row),
        }
      })
    },

    settle,

    /** The same in a transaction of its own, where no snapshot was taken. */
    settleWithout(...[schedule, times, outcome, entries]: TailOf<typeof settle>): Promise<void> {
      return db.transaction().execute((tx) => settle(tx, schedule, times, outcome, entries))
    },

    /** What the snapshots of an object are called. */
    async namesOf({ kind, id, projectId }: Scheduled): Promise<Set<string>> {
      const rows = await (kind === 'vm'
        ? db.selectFrom('vm_snapshot').select('name').where('vm_id', '=', id).execute()
        : // They are unique in the whole project.
          db.selectFrom('disk_snapshot').select('name').where('project_id', '=', projectId).execute())
      return new Set(rows.map(({ name }) => name))
    },

    /** The snapshots that a schedule took, oldest first. */
    async taken({ id, of }: Pick<DueRecord, 'id' | 'of'>): Promise<Taken[]> {
      const rows = await db
        .selectFrom(of.kind === 'vm' ? 'vm_snapshot' : 'disk_snapshot')
        .select(['id', 'scheduled', 'status'])
        .where('schedule_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map(({ id, scheduled, status }) => ({
        id,
        // Both are written in the words of the contract.
        rhythm: scheduled as SnapshotRhythm,
        status: status as Taken['status'],
      }))
    },

    /** Says when to look for surplus snapshots again; null for no more until another is taken. */
    async thinAgain(id: string, atMs: number | null, notDeleted: string | null): Promise<void> {
      await db
        .updateTable('snapshot_schedule')
        .set({ thin_at: atMs === null ? null : isoTime(atMs), not_deleted: notDeleted })
        .where('id', '=', id)
        .execute()
    },
  }
}

type TailOf<F extends (...args: never) => unknown> =
  Parameters<F> extends [unknown, ...infer Rest] ? Rest : never
