/**
 * Goes through the items of batches, in their order. An item is as far as its row says, so a server that was killed, or
 * another one that drives now, goes on with the first that waits.
 */
import { batchTexts } from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Again } from '../lib/reconciler.ts'
import type { BatchRepo } from './batch.repo.ts'
import type { BatchItemRecord, BatchRecord } from './batch.state.ts'

/** After so many of them, listeners are told and others have a turn. */
const itemsAtOnce = 20
/** After so many failures in a row that are nobody's fault but ours, the rest goes on without this item. */
const mostFailures = 5

export function makeBatchReconcile(options: {
  repo: Pick<BatchRepo, 'next' | 'settle' | 'end' | 'open'>
  /** Makes the call for an item and stores what came of it. */
  run: (batch: BatchRecord, item: BatchItemRecord) => Promise<void>
  changed: Changed
  clock: Clock
}) {
  const { repo, run, changed, clock } = options

  async function look(batchId: string): Promise<Again> {
    const next = await repo.next(batchId, itemsAtOnce)
    if (!next) return 'when-kicked'
    for (const item of next.items) await run(next.batch, item)
    const isEnded = await repo.end(batchId, isoTime(clock.now()))
    changed('batch', next.batch.projectId, batchId)
    return isEnded ? 'when-kicked' : 'now'
  }

  async function onFailure(batchId: string, _error: unknown, failures: number): Promise<void> {
    if (failures < mostFailures) return
    const next = await repo.next(batchId, 1)
    const [item] = next?.items ?? []
    if (item) await repo.settle(item, { state: 'failed', message: batchTexts.broken, createdId: null })
  }

  return { look, scan: repo.open, onFailure }
}
