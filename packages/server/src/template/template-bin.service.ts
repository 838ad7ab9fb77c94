import {
  type BinTemplate,
  type BinTemplateRestored,
  type Me,
  messages,
  templateTexts,
} from '@slipway/contract'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { deletedForGood, keptLongEnough, restored } from './template-bin.activity.ts'
import type { TemplateBinRepo } from './template-bin.repo.ts'

export type TemplateBinService = ReturnType<typeof makeTemplateBinService>

/** Templates that were deleted and can be restored, by administrators. */
export function makeTemplateBinService({ repo, clock }: { repo: TemplateBinRepo; clock: Clock }) {
  const requireAdmin = ({ is_admin }: Me): void => {
    if (!is_admin) throw new Problem(403, templateTexts.adminOnly)
  }

  return {
    async list(user: Me): Promise<BinTemplate[]> {
      requireAdmin(user)
      return repo.list()
    },

    async restore(user: Me, id: string): Promise<BinTemplateRestored> {
      requireAdmin(user)
      const back = await repo.restore(id, (before, name) => restored(before, name, user.id, clock.now()))
      if (!back) throw new Problem(404, messages.binItemNotFound)
      return back
    },

    async delete(user: Me, id: string): Promise<void> {
      requireAdmin(user)
      const isGone = await repo.drop(id, (item) => deletedForGood(item, user.id, clock.now()))
      if (!isGone) throw new Problem(404, messages.binItemNotFound)
    },

    /** Deletes for good what has been in the bin for long enough. */
    async sweep(): Promise<void> {
      for (const id of await repo.due(clock.now()))
        await repo.drop(id, (item) => keptLongEnough(item, clock.now()))
    },
  }
}
