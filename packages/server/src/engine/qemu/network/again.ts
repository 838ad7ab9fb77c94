import { backoffMs } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import { inBackground } from '../../../lib/in-background.ts'
import type { Log } from '../../../lib/log.ts'
import type { GuestNetwork } from './network.ts'

const WHAT = 'trying out what networks take on this host'
/** From eight seconds to a minute. */
const waitMs = (tries: number) => backoffMs(tries + 5)

/**
 * Tries again what this host can do, as long as trials come to no end, after waits that grow. Returns the way to stop.
 *
 * @param take what was found out now
 */
export function tryAgain(deps: {
  network: GuestNetwork
  take: (network: GuestNetwork) => Promise<void>
  clock: Pick<Clock, 'after'>
  log: Pick<Log, 'info' | 'error'>
}): () => void {
  const { take, clock, log } = deps
  let isStopped = false
  let cancel = () => {}

  function later(again: GuestNetwork['again'], tries: number): void {
    if (again === null || isStopped) return
    cancel = clock.after(waitMs(tries), () => inBackground(log, WHAT, tryOnce(again, tries)))
  }

  async function tryOnce(again: NonNullable<GuestNetwork['again']>, tries: number): Promise<void> {
    let next: GuestNetwork['again'] = again
    try {
      const network = await again()
      if (isStopped) return
      await take(network)
      next = network.again
      if (next === null)
        log.info({ network: network.sentence }, 'What networks take on this host was tried out')
    } finally {
      later(next, tries + 1)
    }
  }

  later(deps.network.again, 0)
  return () => {
    isStopped = true
    cancel()
  }
}
