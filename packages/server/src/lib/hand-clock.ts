import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

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

export function makeHandClock(startMs = Date.UTC(2026, 10, 21)): HandClock {
  let now = startMs
  /** The wall clock, less the time that has passed. */
  let setOff = 0
  let timers: { at: number; run: () => void }[] = []

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
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async advance(ms) {
      const until = now + ms
      await breathe()
      for (;;) {
        const next = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers = timers.filter((timer) => timer !== next)
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
