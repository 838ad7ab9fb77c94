import {
  type Activity,
  type ActivityPage,
  type activityApi,
  activityTexts,
  type Me,
  type Parsed,
} from '@slipway/contract'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { ActivityFilter, ActivityRepo } from './activity.repo.ts'
import { access, entry, type Subject } from './entry.ts'

type Api = typeof activityApi

export type ActivityService = ReturnType<typeof makeActivityService>

export interface ActivityServiceOptions {
  repo: ActivityRepo
  /** How long entries are kept. */
  days: number
  clock: Clock
}

const dayMs = 24 * 60 * 60_000

export function makeActivityService({ repo, days, clock }: ActivityServiceOptions) {
  async function page(filter: ActivityFilter, limit: number): Promise<ActivityPage> {
    const found = await repo.page(filter, limit + 1)
    const entries = found.slice(0, limit)
    return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null }
  }

  return {
    /**
     * Records that a user came in somewhere, such as `Opened the console of VM web-1`; `action` is a stable word such
     * as `vm.console`. For what is stored in no table of its own: everything else hands its entries to its repo.
     */
    access: (
      userId: string,
      subject: Subject,
      { action, message, reason = null }: { action: string; message: string; reason?: string | null },
    ): Promise<void> => repo.record([entry(clock.now(), subject, access(userId, action, message, reason))]),

    /** The same of somebody who looks into an object of a project: all that they look at in a few minutes is one entry. */
    visit: (
      userId: string,
      subject: Subject & { projectId: string },
      { action, message }: { action: string; message: string },
    ): Promise<void> => repo.recordVisit(entry(clock.now(), subject, access(userId, action, message))),

    async ofProject(
      projectId: string,
      { limit, ...filter }: Parsed<Api['ofProject']>['query'],
    ): Promise<ActivityPage> {
      return page({ ...filter, projectId }, limit)
    },

    ofAccount: (
      userId: string,
      { limit, before }: Parsed<Api['ofAccount']>['query'],
    ): Promise<ActivityPage> => page({ accountId: userId, before }, limit),

    /** Everything, oldest first and a part at a time, for administrators. */
    export({ is_admin }: Me, { since, until }: Parsed<Api['export']>['query']): AsyncIterable<Activity[]> {
      if (!is_admin) throw new Problem(403, activityTexts.exportRefused)
      const msOf = (time: string | undefined) => (time === undefined ? null : Date.parse(time))
      return repo.parts(msOf(since), msOf(until))
    },

    /** Forgets what is older than the days it is kept. */
    async sweep(): Promise<void> {
      while (await repo.deleteSomeBefore(clock.now() - days * dayMs)) await new Promise(setImmediate)
    },
  }
}
