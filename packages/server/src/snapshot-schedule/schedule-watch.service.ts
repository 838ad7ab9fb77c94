/**
 * Takes the snapshots that are due, and deletes those that newer ones replace. It looks once a minute, at the server that
 * drives: all due times are whole minutes. A due time is dealt with in the transaction that moves the schedule on to the
 * next one, so whoever is killed or overtaken has done all of it or nothing.
 */
import { mayWhileFrozen, snapshotScheduleTexts } from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { ScheduledSnapshot } from '../snapshot/snapshot.service.ts'
import { dueBetween, freeName, nameOf, nextDue } from './due.ts'
import { snapshotsMissed } from './snapshot-schedule.activity.ts'
import { isUnderWay, thinOut } from './snapshot-schedule.plan.ts'
import { type DueRecord, Overtaken, type SnapshotScheduleRepo } from './snapshot-schedule.repo.ts'

const minuteMs = 60_000

/** How often it is tried to delete what was in use. */
const refusedMs = 10 * minuteMs

/** What a schedule does is what somebody could do by hand. */
const calls = { vm: 'vmSnapshot.create', disk: 'diskSnapshot.create' } as const

/** The service of snapshots of VMs, or of disks. */
interface Snapshots {
  take: (projectId: string, objectId: string, wanted: ScheduledSnapshot) => Promise<unknown>
  supersede: (projectId: string, snapshotId: string) => Promise<true | string>
}

export function makeScheduleWatch(options: {
  repo: SnapshotScheduleRepo
  snapshots: Record<'vm' | 'disk', Snapshots>
  changed: Changed
  underLease: <T>(act: () => T) => T
  clock: Clock
  log: Log
}) {
  const { repo, snapshots, changed, underLease, clock, log } = options
  let cancel: (() => void) | null = null
  let working: Promise<void> = Promise.resolve()

  async function takeDue(schedule: DueRecord): Promise<void> {
    const { of, rhythms, timeZone, snapshotType: type } = schedule
    const nowMs = clock.now()
    const times = { nextAt: nextDue(rhythms, timeZone, nowMs), nowMs }
    const due = dueBetween(rhythms, timeZone, Date.parse(schedule.nextAt), nowMs)
    // The clock was put back, and the schedule goes on from there.
    if (due === null || Date.parse(schedule.countedAt) > nowMs)
      return repo.settleWithout(schedule, times, null, [])
    const { rhythm, at: dueAt, missed } = due
    const told = (count: number, reason: string) =>
      count === 0 ? [] : [snapshotsMissed(of, count, reason, nowMs)]
    try {
      const verdict = !schedule.isFrozen || mayWhileFrozen({ id: calls[of.kind], method: 'POST' })
      if (verdict !== true) throw new Problem(403, verdict)
      await snapshots[of.kind].take(of.projectId, of.id, {
        name: freeName(nameOf(due, timeZone), await repo.namesOf(of)),
        type,
        scheduleId: schedule.id,
        rhythm,
        given: (tx, snapshotId) => {
          const reason = snapshotScheduleTexts.serverOff
          const outcome = { dueAt, snapshotId, refusal: null, missed, reason }
          return repo.settle(tx, schedule, times, outcome, told(missed.length, reason))
        },
      })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const reason = asSentence(error.message)
      const all = [...missed, dueAt].sort((one, other) => one - other)
      const outcome = { dueAt, snapshotId: null, refusal: reason, missed: all, reason }
      await repo.settleWithout(schedule, times, outcome, told(all.length, reason))
    }
    changed(of.kind, of.projectId, of.id)
  }

  /** Deletes the oldest surplus snapshot: on disks, those that build upon it are merged before the next one can go. */
  async function thin(schedule: DueRecord): Promise<void> {
    const { id, of, rhythms } = schedule
    const taken = await repo.taken(schedule)
    let refusal: string | null = null
    for (const snapshotId of thinOut(taken, rhythms)) {
      const verdict = await snapshots[of.kind].supersede(of.projectId, snapshotId)
      if (verdict === true) return repo.thinAgain(id, clock.now() + minuteMs, null)
      refusal ??= asSentence(verdict)
    }
    if (refusal !== null) await repo.thinAgain(id, clock.now() + refusedMs, refusal)
    else await repo.thinAgain(id, isUnderWay(taken) ? clock.now() + minuteMs : null, null)
  }

  async function look(): Promise<void> {
    const nowMs = clock.now()
    const due = await repo.due(nowMs)
    for (const schedule of due) {
      const isDue = Date.parse(schedule.nextAt) <= nowMs || Date.parse(schedule.countedAt) > nowMs
      try {
        if (isDue) await takeDue(schedule)
        if (schedule.thins && !schedule.isFrozen) await thin(schedule)
      } catch (error) {
        // One that cannot be dealt with does not hold up the others; it is due again in a minute.
        if (!(error instanceof Overtaken))
          log.error({ err: error, schedule: schedule.id }, 'a snapshot schedule could not be followed')
      }
    }
  }

  function lookLater(): void {
    cancel = clock.after(minuteMs - (clock.now() % minuteMs), () => {
      working = underLease(look)
        .catch((error: unknown) =>
          log.error({ err: error }, 'It could not be looked for snapshots that are due'),
        )
        .then(() => {
          if (cancel) lookLater()
        })
    })
  }

  return {
    start: lookLater,
    /** Resolves when the look under way has ended; for tests. */
    idle: () => working,
    async stop() {
      cancel?.()
      cancel = null
      await working
    },
  }
}

const asSentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)
