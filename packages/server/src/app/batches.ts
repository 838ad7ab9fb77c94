import { makeBatchReconcile } from '../batch/batch.reconcile.ts'
import { makeBatchRepo } from '../batch/batch.repo.ts'
import { makeBatchService } from '../batch/batch.service.ts'
import { type BatchItemServiceOptions, makeBatchItemService } from '../batch/batch-item.service.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import { type Base, rhythm } from './base.ts'

/** One call for many objects, made by the server. */
export function makeBatches(base: Base, options: Omit<BatchItemServiceOptions, 'repo'>) {
  const { db, clock, log, bus, calls, underLease } = base
  const repo = makeBatchRepo(db)
  const { changed } = bus
  const batches = makeBatchService({ repo, kick: calls.kickBatch, changed, clock })
  const { run } = makeBatchItemService({ repo, ...options })
  const batchReconciler = makeReconciler({
    name: 'batch',
    ...makeBatchReconcile({ repo, run, changed, clock }),
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  bus.reads('batch', batches.read)
  calls.connect({ kickBatch: batchReconciler.kick })
  return { batches, batchReconciler }
}
