import {
  type BinEmptied,
  type BinEmpty,
  type BinItem,
  type BinKind,
  type BinPreview,
  type BinRestored,
  messages,
} from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { deletedForGood, notKept } from './bin.activity.ts'
import type { BinRepo, Dropped, DroppedKind } from './bin.repo.ts'
import type { BinLimitRepo } from './bin-limit.repo.ts'

export type BinService = ReturnType<typeof makeBinService>

export interface BinServiceOptions {
  repo: BinRepo
  limits: Pick<BinLimitRepo, 'preview'>
  /** Brings something of a kind back, which is still in the bin of that project; the caller has checked who asks. */
  comeBack: Record<BinKind, (userId: string, projectId: string, id: string) => Promise<BinRestored>>
  /** Asks the reconciler of a kind to look soon. */
  kicks: Record<DroppedKind, (id: string) => void>
  changed: Changed
  clock: Clock
}

/** What was deleted and can be restored. */
export function makeBinService({ repo, limits, comeBack, kicks, changed, clock }: BinServiceOptions) {
  async function find(projectId: string, id: string): Promise<BinItem> {
    const item = await repo.find(id)
    if (item?.project_id !== projectId) throw new Problem(404, messages.binItemNotFound)
    return item
  }

  function removeAll(dropped: Dropped): void {
    for (const [kind, ids] of Object.entries(dropped) as [DroppedKind, string[]][])
      for (const id of ids) kicks[kind](id)
  }

  /** Deletes for good what is kept no more. */
  async function dropOver(id: string): Promise<'gone'> {
    const gone = await repo.drop(id, (item) => notKept(item, clock.now()))
    if (gone) {
      changed('bin_item', gone.projectId, id)
      removeAll(gone.dropped)
    }
    return 'gone'
  }

  return {
    /** For the event bus. */
    read: (ids: readonly string[]): Promise<BinItem[]> => repo.findAll(ids),

    list: (projectId: string): Promise<BinItem[]> => repo.list(projectId),

    async restore(userId: string, projectId: string, id: string): Promise<BinRestored> {
      const { kind } = await find(projectId, id)
      const back = await comeBack[kind](userId, projectId, id)
      changed('bin_item', projectId, id)
      return back
    },

    async delete(userId: string, projectId: string, id: string): Promise<void> {
      await find(projectId, id)
      const gone = await repo.drop(id, (item) =>
        deletedForGood(item, { by: userId, call: 'bin.delete', nowMs: clock.now() }),
      )
      if (!gone) throw new Problem(404, messages.binItemNotFound)
      changed('bin_item', projectId, id)
      removeAll(gone.dropped)
    },

    /** Deletes for good what was there when somebody was asked; what came into the bin meanwhile stays. */
    async empty(userId: string, projectId: string, body: BinEmpty): Promise<BinEmptied> {
      const { ids, dropped } = await repo.empty(projectId, body, (item) =>
        deletedForGood(item, { by: userId, call: 'bin.empty', nowMs: clock.now() }),
      )
      for (const id of ids) changed('bin_item', projectId, id)
      removeAll(dropped)
      return { deleted: ids.length }
    },

    /** What these objects would do to the bin, were they deleted now. */
    async preview(projectId: string, ids: readonly string[]): Promise<BinPreview> {
      const found = await limits.preview(projectId, ids)
      if (!found) throw new Problem(404, messages.projectNotFound)
      const { bytes, vms, fits, pushesOut, limits: most } = found
      return { bytes, vms, limit_bytes: most.bytes, limit_vms: most.vms, fits, pushes_out: pushesOut }
    },

    dropOver,

    /** Deletes for good what has been in the bin for long enough. */
    async sweep(): Promise<void> {
      for (const id of await repo.due(clock.now())) await dropOver(id)
    },
  }
}
