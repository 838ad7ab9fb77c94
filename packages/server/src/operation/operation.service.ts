import {
  type AnyOperation,
  type EndpointId,
  type Me,
  messages,
  type Operation,
  operationTexts,
  waitingText,
} from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import { isoTime } from '../lib/clock.ts'
import type { JobBoard } from '../lib/job-board.ts'
import type { JobView } from '../lib/jobs.ts'
import { Problem } from '../lib/problem.ts'
import type { ProjectService } from '../project/project.service.ts'

export type OperationService = ReturnType<typeof makeOperationService>

/**
 * Ends the work on an object for good and records who asked, by the id of the endpoint; false when it has ended
 * already. It must hold over a restart: what is only aborted is begun again by the next server.
 */
export type CancelOperation = (userId: string, objectId: string, action: EndpointId) => Promise<boolean>

export interface OperationServiceOptions {
  jobs: Pick<JobBoard, 'find' | 'list'>
  projects: Pick<ProjectService, 'owners'>
  /** How operations are cancelled, by their action. Those that are not named cannot be. */
  cancels: Readonly<Record<string, CancelOperation>>
  changed: Changed
}

/** The long work that runs or waits, for those whose it is and for operators. */
export function makeOperationService(options: OperationServiceOptions) {
  const { jobs, projects, cancels, changed } = options

  function toOperation(job: JobView, position: number | null): Operation {
    const { id, subject, kind, waitsFor } = job
    return {
      id,
      project_id: subject.projectId,
      action: subject.action,
      // Jobs are named by the features that the contract knows.
      object: { type: subject.type as Operation['object']['type'], id: subject.id, name: subject.name },
      state: job.state === 'waiting' ? 'waiting' : 'running',
      position,
      message: waitsFor && waitingText(kind, waitsFor),
      progress: job.progress,
      requested_at: isoTime(job.requestedAt),
      started_at: job.startedAt === null ? null : isoTime(job.startedAt),
      can_cancel: !job.aborted && cancels[subject.action] !== undefined,
    }
  }

  /** With the place of each waiting one among those of its project and kind. */
  function list(projectId?: string): Operation[] {
    const places = new Map<string, number>()
    const placeOf = ({ kind, subject, state }: JobView): number | null => {
      if (state !== 'waiting') return null
      const queue = `${kind} ${subject.projectId}`
      const place = (places.get(queue) ?? 0) + 1
      places.set(queue, place)
      return place
    }
    return jobs
      .list(projectId)
      .filter(isShown)
      .map((job) => toOperation(job, placeOf(job)))
  }

  function requireAdmin({ is_admin }: Me): void {
    if (!is_admin) throw new Problem(403, operationTexts.refused)
  }

  async function cancel(userId: string, job: JobView | null, action: EndpointId): Promise<void> {
    if (!job || !isShown(job)) throw new Problem(404, messages.operationNotFound)
    const end = cancels[job.subject.action]
    if (!end) throw new Problem(409, operationTexts.notCancellable)
    if (!(await end(userId, job.subject.id, action))) throw new Problem(404, messages.operationNotFound)
  }

  /**
   * Plugging is over in a moment, unless the machine is being copied; the disk, or the VM, says so. A check changes nothing
   * and keeps nobody waiting.
   */
  const isOperation = ({ kind }: Pick<JobView, 'kind'>): boolean => kind !== 'plug' && kind !== 'check'
  const isShown = (job: JobView): boolean => isOperation(job) && job.state !== 'settled'

  return {
    /** Tells whoever watches the project that a job changed. */
    announce({ id, kind, subject: { projectId } }: JobView): void {
      if (projectId !== null && isOperation({ kind })) changed('operation', projectId, id)
    },

    /** Those that run or wait, for the event bus. */
    async read(ids: readonly string[]): Promise<Operation[]> {
      const projectIds = new Set(ids.map((id) => jobs.find(id)?.subject.projectId ?? null))
      const wanted = new Set(ids)
      return [...projectIds]
        .flatMap((projectId) => (projectId === null ? [] : list(projectId)))
        .filter(({ id }) => wanted.has(id))
    },

    list: async (projectId: string): Promise<Operation[]> => list(projectId),

    async cancel(userId: string, projectId: string, operationId: string): Promise<void> {
      const job = jobs.find(operationId)
      await cancel(userId, job?.subject.projectId === projectId ? job : null, 'operation.cancel')
    },

    async listAll(user: Me): Promise<AnyOperation[]> {
      requireAdmin(user)
      const all = list()
      const ids = new Set(all.flatMap(({ project_id }) => project_id ?? []))
      const owners = new Map((await projects.owners([...ids])).map((one) => [one.id, one]))
      return all.map((operation) => {
        const found = owners.get(operation.project_id ?? '')
        return {
          ...operation,
          project_name: found?.name ?? null,
          owner: found ? { id: found.owner_id, name: found.owner_name } : null,
        }
      })
    },

    async cancelAny(user: Me, operationId: string): Promise<void> {
      requireAdmin(user)
      await cancel(user.id, jobs.find(operationId), 'operation.cancelAny')
    },
  }
}
