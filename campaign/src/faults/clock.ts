/** The clock of the host is set: while the server runs, and while it is down. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OneServer } from '../host.ts'
import { both, type Fault, mayStart } from './fault.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** As a wrong time zone, a bad battery or a host that slept does it. */
const steps = [-400 * day, -3 * hour, -10 * minute, 10 * minute, 3 * hour, 400 * day]
/** Smaller ones may stay: then it was wrong before. */
const staysUpTo = 3 * hour

export const ofClock: readonly Fault<OneServer>[] = [
  {
    name: 'clock-step',
    weight: 2,
    engines: both,
    harsh: false,
    async deal(host, random) {
      const before = host.now() - Date.now()
      const step = random.pick(steps) ?? 0
      await host.tell({ clockMs: before + step })
      if (Math.abs(step) <= staysUpTo && random.chance(0.5)) return
      await sleep(1_000 + random.below(5_000))
      await host.tell({ clockMs: before })
    },
  },
  {
    name: 'clock-step-at-start',
    weight: 1,
    engines: both,
    harsh: false,
    async deal(host, random) {
      await host.kill()
      const before = host.now() - Date.now()
      await host.tell({ clockMs: before + (random.pick(steps) ?? 0) })
      await mayStart(host)
      await sleep(3_000)
      await host.kill()
      await host.tell({ clockMs: before })
      await host.start()
    },
  },
]
