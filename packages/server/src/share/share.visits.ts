/** Counts visits: of all shares together every few seconds, so that a page that is opened costs no write. */
import { type Clock, isoTime } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'

const storeEveryMs = 5_000

export type Visits = ReadonlyMap<string, { count: number; last: string }>

export function makeVisits(options: {
  store: (visits: Visits) => Promise<void>
  clock: Clock
  log: Pick<Log, 'error'>
}) {
  const { clock, log } = options
  let counted = new Map<string, { count: number; last: string }>()
  let cancel: (() => void) | null = null

  async function store(): Promise<void> {
    cancel?.()
    cancel = null
    if (counted.size === 0) return
    const visits = counted
    counted = new Map()
    try {
      await options.store(visits)
    } catch (error) {
      for (const [id, { count, last }] of visits) add(id, count, last)
      throw error
    }
  }

  function add(id: string, count: number, last: string): void {
    const before = counted.get(id)
    const latest = before && before.last > last ? before.last : last
    counted.set(id, { count: (before?.count ?? 0) + count, last: latest })
    cancel ??= clock.after(storeEveryMs, () => {
      cancel = null
      inBackground(log, 'counting visits of shared ports', store())
    })
  }

  return {
    note: (id: string) => add(id, 1, isoTime(clock.now())),
    store,
  }
}
