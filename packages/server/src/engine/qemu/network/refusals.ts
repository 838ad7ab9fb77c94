import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'

const SAY_AGAIN_MS = 3_600_000

/**
 * Tells what guests were refused beyond their limits (`guest-limits.ts`), and logs it, at most once an hour for each.
 *
 * @param counts packets that were refused, by machine, of each way that guests are connected
 */
export function makeRefusals(deps: {
  counts: readonly (() => Promise<ReadonlyMap<string, number>>)[]
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Log, 'warn'>
}): () => Promise<Map<string, number>> {
  const { counts, clock, log } = deps
  const before = new Map<string, number>()
  const saidAt = new Map<string, number>()

  return async () => {
    const now = clock.monotonic()
    const none = new Map<string, number>()
    const read = await Promise.all(counts.map((count) => count().catch(() => none)))
    const refused = new Map(read.flatMap((one) => [...one]))
    for (const [machine, packets] of refused) {
      const isMore = packets > (before.get(machine) ?? 0)
      const isSaid = now - (saidAt.get(machine) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS
      if (!isMore || isSaid) continue
      saidAt.set(machine, now)
      log.warn(
        { machine, packets },
        'A VM begins more connections or asks for more names than one may; what is beyond its limit is dropped',
      )
    }
    before.clear()
    for (const [machine, packets] of refused) before.set(machine, packets)
    for (const [machine, at] of saidAt) if (now - at >= SAY_AGAIN_MS) saidAt.delete(machine)
    return refused
  }
}
