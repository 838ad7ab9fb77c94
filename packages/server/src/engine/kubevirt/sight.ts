/** Whether what is in memory of the cluster can be relied on. */
import { EngineError } from '../engine.ts'
import type { Ground } from './ground.ts'

/** A cut watch is back sooner; what changed meanwhile is known a little later then. */
const blindMs = 60_000

/** The sentence that says why nothing can be told of the cluster now; null while it is in sight. */
export function outOfSight({ mirror, clock }: Pick<Ground, 'mirror' | 'clock'>): string | null {
  const since = mirror.staleSince()
  return since === null || clock.now() - since < blindMs ? null : 'The cluster does not answer.'
}

/** Throws where nothing can be told of the cluster. */
export function requireSight(ground: Pick<Ground, 'mirror' | 'clock'>): void {
  const why = outOfSight(ground)
  if (why !== null) throw new EngineError('away', why, { retryable: true })
}
