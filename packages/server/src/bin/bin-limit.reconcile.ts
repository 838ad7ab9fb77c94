/**
 * Keeps the limits of the bins of accounts: what has to leave so that something newer has room is deleted for good. Which that is
 * is decided in a transaction and stored, so that a server that is killed meanwhile leaves nothing undecided.
 */
import type { Again } from '../lib/reconciler.ts'
import { whyItLeaves } from './bin.activity.ts'
import type { BinLimitRepo } from './bin-limit.repo.ts'

export interface BinLimitReconcileOptions {
  repo: BinLimitRepo
  /** Delete something for good that is on its way out; `busy` while something goes on in it that has to end first. */
  drops: Record<'item' | 'project', (id: string) => Promise<'gone' | 'busy'>>
  now: () => number
}

/** A snapshot or a restore in a project that is to leave. */
const busyPollMs = 30_000

export function makeBinLimitReconcile({ repo, drops, now }: BinLimitReconcileOptions) {
  let pushedOut = 0
  return {
    /** How many were pushed out by this server since it started. */
    pushedOut: () => pushedOut,

    /** Looks after the account that owns a project. */
    async look(projectId: string): Promise<Again> {
      const accountId = await repo.keep(projectId, now(), whyItLeaves)
      if (accountId === null) return 'when-kicked'
      let isBusy = false
      for (const { id, isProject } of await repo.leaving(accountId)) {
        if ((await drops[isProject ? 'project' : 'item'](id)) === 'busy') isBusy = true
        else pushedOut++
      }
      return isBusy ? { afterMs: busyPollMs } : 'when-kicked'
    },

    scan: repo.unsettled,
  }
}
