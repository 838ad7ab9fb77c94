import {
  type BinEmpty,
  type BinProject,
  type BinProjectRestored,
  type BinProjectsEmptied,
  messages,
} from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { deletedForGood, notKept, restored } from './project-bin.activity.ts'
import type { ProjectBinRepo } from './project-bin.repo.ts'

export type ProjectBinService = ReturnType<typeof makeProjectBinService>

export interface ProjectBinServiceOptions {
  repo: ProjectBinRepo
  projects: Pick<ProjectService, 'remove'>
  quotas: Pick<QuotaService, 'requireForProject'>
  /** Asks the reconciler of projects to look soon. */
  kick: (projectId: string) => void
  changed: Changed
  clock: Clock
}

/** Projects that were deleted and can be restored, each by its owner. */
export function makeProjectBinService(options: ProjectBinServiceOptions) {
  const { repo, projects, quotas, kick, changed, clock } = options
  return {
    list: (userId: string): Promise<BinProject[]> => repo.list(userId),

    async restore(userId: string, projectId: string): Promise<BinProjectRestored> {
      const back = await repo.restore(
        projectId,
        userId,
        clock.now(),
        (tx) => quotas.requireForProject(tx, projectId),
        (before, name) => restored(before, name, clock.now()),
      )
      if (!back) throw new Problem(404, messages.binItemNotFound)
      const { name, roles, shareIds } = back
      changed('project', projectId, projectId, { roles, moved: Object.keys(roles) })
      for (const id of shareIds) changed('share', projectId, id)
      kick(projectId)
      return { id: projectId, name }
    },

    async delete(userId: string, projectId: string): Promise<void> {
      const project = await repo.find(projectId, userId)
      if (!project) throw new Problem(404, messages.binItemNotFound)
      try {
        await projects.remove(projectId, 'in-bin', deletedForGood(project, 'projectBin.delete', clock.now()))
      } catch (error) {
        // Restored, or deleted by somebody else meanwhile.
        if (error instanceof Problem && error.status === 404) throw new Problem(404, messages.binItemNotFound)
        throw error
      }
    },

    /**
     * Deletes for good what was there when somebody was asked; what came into the bin meanwhile stays. Each project is a
     * transaction of its own: one in which something is under way holds up no other.
     */
    async empty(userId: string, body: BinEmpty): Promise<BinProjectsEmptied> {
      const count = { deleted: 0, busy: 0 }
      for (const project of await repo.meant(userId, body))
        try {
          const told = deletedForGood(project, 'projectBin.empty', clock.now())
          await projects.remove(project.id, 'in-bin', told)
          count.deleted++
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          // Else it was restored, or deleted by somebody else meanwhile.
          if (error.status === 409) count.busy++
        }
      return count
    },

    /** Deletes one for good for which the bin has no room; `busy` while something goes on in it that has to end first. */
    async dropOver(id: string): Promise<'gone' | 'busy'> {
      const project = await repo.leaving(id)
      if (!project) return 'gone'
      try {
        await projects.remove(id, 'in-bin', notKept(project, clock.now()))
        return 'gone'
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        // Else it was restored, or deleted by somebody else meanwhile.
        return error.status === 409 ? 'busy' : 'gone'
      }
    },

    /** Deletes for good what has been in the bin for long enough; what something goes on in waits for the next time. */
    async sweep(): Promise<void> {
      for (const project of await repo.due(clock.now()))
        try {
          await projects.remove(project.id, 'in-bin', notKept(project, clock.now()))
        } catch (error) {
          if (!(error instanceof Problem)) throw error
        }
    },
  }
}
