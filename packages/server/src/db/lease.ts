/**
 * The lease of the servers on one PostgreSQL: one of them drives, and another takes over when that one is gone. No
 * clock is compared with another one's. The holder counts up in the row; who stands by watches the count, by its own
 * clock, for as long as it can read it (lease-row.ts). A holder that stood still and goes on may believe for a moment
 * that it still drives: what it writes then the database refuses, by the number (lib/fence.ts, postgres-driver.ts).
 */
import { type Clock, systemClock } from '../lib/clock.ts'
import { heldLease, type Lease } from '../lib/lease.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { HomeElsewhere } from './lease-home.ts'
import { beatMs, type LeaseRow, lookMs, makeWatch, openLeaseRow } from './lease-row.ts'
import type { DatabasePlace } from './open.ts'

export interface LeaseOptions {
  url: string
  /** Says who it is for people; no other process, before or after, has the same. */
  name: string
  /** Id of the data directory when only its server can drive what the database has; null when every server can. */
  home: string | null
  /** Told, once each time, that another took the lease while this one could not renew it. */
  onLost: (reason: string) => void
  log: Pick<Log, 'warn'>
  clock?: Pick<Clock, 'monotonic' | 'after'>
}

/** The lease of a server on a database of either kind. */
export const leaseOn = (place: DatabasePlace, options: Omit<LeaseOptions, 'url'>): Lease =>
  'url' in place ? makeLease({ ...options, url: place.url }) : heldLease(options.name)

export function makeLease({ url, name, home, onLost, log, clock = systemClock }: LeaseOptions): Lease {
  let row = openLeaseRow(url)
  let held: { number: number } | null = null
  let holder: string | null = null
  let isAway = false

  function away(error: unknown): void {
    if (!isAway) log.warn({ err: error }, 'The lease of the servers cannot be read or renewed')
    isAway = true
  }

  async function keep(mine: { number: number }): Promise<void> {
    let waitMs = beatMs
    for (;;) {
      await pause(clock, waitMs)
      if (held !== mine) return
      try {
        const isMine = await row.renew(mine.number)
        isAway = false
        waitMs = beatMs
        if (!isMine && held === mine) return await lose()
      } catch (error) {
        if (held === mine) away(error)
        waitMs = lookMs
      }
    }
  }

  async function lose(): Promise<void> {
    held = null
    holder = (await row.read().catch(() => null))?.holder ?? null
    onLost(
      `${holder ?? 'Another server'} has taken over because this server could not renew its lease of the database.`,
    )
  }

  /** The number when it was taken. */
  async function look(watch: ReturnType<typeof makeWatch>): Promise<number | null> {
    let seen: LeaseRow
    const begun = clock.monotonic()
    try {
      seen = await row.read()
      isAway = false
    } catch (error) {
      watch.failed()
      away(error)
      return null
    }
    holder = seen.holder
    if (home !== null && seen.home !== null && seen.home !== home) throw new HomeElsewhere(seen, home)
    const isSilent = watch.isSilent(seen, begun, clock.monotonic())
    try {
      // Taken, or not given up, by a message whose answer was lost.
      if (seen.holder === name) return (await row.renew(seen.number)) ? seen.number : null
      return seen.holder === null || isSilent ? await row.take(seen, name, home) : null
    } catch (error) {
      away(error)
      return null
    }
  }

  const lease: Lease = {
    number: () => held?.number ?? null,
    holder: () => holder,

    async take(signal) {
      if (held) return held.number
      // The clock's timers let a process end that has nothing else to do.
      const staying = setInterval(() => {}, 2 ** 30)
      const watch = makeWatch()
      try {
        for (;;) {
          signal.throwIfAborted()
          const number = await look(watch)
          if (number !== null) {
            const mine = { number }
            held = mine
            holder = name
            if (signal.aborted) await lease.release()
            signal.throwIfAborted()
            void keep(mine)
            return number
          }
          await pause(clock, lookMs, signal)
        }
      } finally {
        clearInterval(staying)
      }
    },

    async release() {
      const mine = held
      held = null
      const old = row
      row = openLeaseRow(url)
      // Who cannot be told finds out when the term is over.
      if (mine) await old.giveUp(mine.number).catch(() => {})
      if (holder === name) holder = null
      await old.close().catch(() => {})
    },
  }
  return lease
}
