import {
  type Batch,
  type BatchWithItems,
  batchActions,
  type batchApi,
  batchDays,
  batchTexts,
  batchTitle,
  messages,
  type Parsed,
  unknownIds,
} from '@slipway/contract'
import { type Entry, entry, wish } from '../activity/entry.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { BatchRepo } from './batch.repo.ts'
import { isForGood } from './batch.state.ts'

type BatchBody = Parsed<typeof batchApi.create>['body']

export type BatchService = ReturnType<typeof makeBatchService>

export interface BatchServiceOptions {
  repo: BatchRepo
  kick: (batchId: string) => void
  changed: Changed
  clock: Clock
}

const dayMs = 24 * 60 * 60_000
/** How many a list has. */
const newest = 50

export function makeBatchService({ repo, kick, changed, clock }: BatchServiceOptions) {
  async function find(projectId: string, batchId: string): Promise<Batch> {
    const [batch] = await repo.findAll([batchId])
    if (batch?.project_id !== projectId) throw new Problem(404, messages.batchNotFound)
    return batch
  }

  function told(
    userId: string,
    call: 'batch.create' | 'batch.cancel',
    { id, project_id: projectId, title }: Pick<Batch, 'id' | 'project_id'> & { title: string },
  ): Entry {
    const message = call === 'batch.create' ? `${title} requested` : `Cancelled the batch "${title}"`
    return entry(clock.now(), { type: 'batch', id, name: title, projectId }, wish(userId, call, message))
  }

  return {
    /** For the event bus. */
    read: (ids: readonly string[]): Promise<Batch[]> => repo.findAll(ids),

    list: (projectId: string): Promise<Batch[]> => repo.list(projectId, newest),

    async get(projectId: string, batchId: string): Promise<BatchWithItems> {
      const batch = await find(projectId, batchId)
      return { ...batch, items: await repo.items(batchId) }
    },

    /** Stores what is to be done for whom; the reconciler does it. */
    async create(userId: string, projectId: string, { ids, ...request }: BatchBody): Promise<Batch> {
      const known = await repo.objects(batchActions[request.action], projectId, ids)
      const unknown = ids.filter((id) => !known.has(id))
      if (unknown.length > 0) throw refuse('ids', unknownIds(unknown))
      const now = clock.now()
      const batch = {
        id: newId(now),
        project_id: projectId,
        account_id: userId,
        request: JSON.stringify(request),
        created_at: isoTime(now),
      }
      await repo.insert(
        batch,
        ids.flatMap((id) => known.get(id) ?? []),
        told(userId, 'batch.create', {
          ...batch,
          title: batchTitle(request.action, ids.length, isForGood(request)),
        }),
      )
      kick(batch.id)
      changed('batch', projectId, batch.id)
      return find(projectId, batch.id)
    },

    /** Leaves out what waits. What was done stays done. */
    async cancel(userId: string, projectId: string, batchId: string): Promise<Batch> {
      const { action, counts, for_good, ...batch } = await find(projectId, batchId)
      const title = batchTitle(action, counts.total, for_good)
      const cancelled = told(userId, 'batch.cancel', { ...batch, title })
      if (!(await repo.cancel(batchId, isoTime(clock.now()), cancelled)))
        throw new Problem(409, batchTexts.ended)
      changed('batch', projectId, batchId)
      return find(projectId, batchId)
    },

    /** Forgets batches that ended a week ago. */
    sweep: (): Promise<void> => repo.deleteBefore(isoTime(clock.now() - batchDays * dayMs)),
  }
}
