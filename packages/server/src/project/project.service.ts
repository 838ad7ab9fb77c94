import { messages, type Project, type ProjectCreate, projectTexts } from '@slipway/contract'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import type { ProjectRepo } from './project.repo.ts'

export type ProjectService = ReturnType<typeof makeProjectService>

export interface ProjectServiceOptions {
  repo: ProjectRepo
  clock: Clock
  /** Told that disks and snapshots are left to be removed. */
  onDeleted: () => void
}

export function makeProjectService({ repo, clock, onDeleted }: ProjectServiceOptions) {
  /** The project, if it is the user's; a foreign one is as unknown as none at all. */
  async function own(userId: string, projectId: string): Promise<Project> {
    const project = await repo.find(userId, projectId)
    if (!project) throw new Problem(404, messages.projectNotFound)
    return project
  }

  return {
    own,
    list: (userId: string): Promise<Project[]> => repo.list(userId),

    async create(userId: string, input: ProjectCreate): Promise<Project> {
      const project = {
        id: newId(clock.now()),
        name: input.name,
        description: input.description,
        created_at: isoTime(clock.now()),
      }
      await repo.insert({ ...project, account_id: userId })
      return project
    },

    async delete(userId: string, projectId: string): Promise<void> {
      await own(userId, projectId)
      if (!(await repo.deleteEmpty(projectId))) throw new Problem(409, projectTexts.hasVms)
      onDeleted()
    },
  }
}
