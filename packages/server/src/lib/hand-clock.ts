import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import { isTurnAwaited } from './turn.ts'

/** A clock for tests that moves only when told, and lets the code run that each timer wakes. */
export interface HandClock extends Clock {
  /** Moves on by `ms`, firing what falls due in order of time. */
  advance: (ms: number) => Promise<void>
  /** Moves on at one go, as for a host that was suspended: what fell due meanwhile fires once, now. */
  suspend: (ms: number) => Promise<void>
  /** Somebody sets the wall clock: no time passes, so no timer fires. */
  set: (nowMs: number) => void
}

/** The end of what is under way and takes real time, such as queries to a database of its own: time waits for it. */
const underWay: (() => Promise<void> | null)[] = []
export const alsoWaitFor = (ending: () => Promise<void> | null): void => void underWay.push(ending)
// A turn takes a round of the event loop, and no time that a clock knows.
alsoWaitFor(() => (isTurnAwaited() ? setImmediate() : null))

export function makeHandClock(startMs = Date.UTC(2026, 10, 21)): HandClock {
  let now = startMs
  /** The wall clock, less the time that has passed. */
  let setOff = 0
  /** In the order in which they fall due. */
  const timers: { at: number; run: () => void }[] = []

  /** Behind those that fall due at the same time. */
  function add(timer: (typeof timers)[number]): void {
    let [from, to] = [0, timers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((timers[middle]?.at ?? 0) <= timer.at) from = middle + 1
      else to = middle
    }
    timers.splice(from, 0, timer)
  }

  // Promises that a timer resolves may set the next timer: give them their turns.
  async function breathe(): Promise<void> {
    for (let turns = 0; turns < 10; turns++) {
      await setImmediate()
      for (const ending of underWay) {
        const end = ending()
        if (!end) continue
        // Asleep: whoever asks again and again takes the processor from what it waits for.
        await end
        turns = -1
      }
    }
  }

  return {
    now: () => now + setOff,
    monotonic: () => now - startMs,
    set(nowMs) {
      setOff = nowMs - now
    },
    after(ms, run) {
      const timer = { at: now + Math.max(0, ms), run }
      add(timer)
      return () => {
        const place = timers.indexOf(timer)
        if (place >= 0) timers.splice(place, 1)
      }
    },
    async advance(ms) {
      const until = now + ms
      await breathe()
      for (;;) {
        const next = timers[0]
        if (!next || next.at > until) break
        timers.shift()
        now = Math.max(now, next.at)
        next.run()
        await breathe()
      }
      now = until
      await breathe()
    },
    async suspend(ms) {
      now += ms
      await this.advance(0)
    },
  }
}
