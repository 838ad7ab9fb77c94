import { messages, type Project, type ProjectCreate, projectTexts } from '@slipway/contract'
import { entry, type Told, wish } from '../activity/entry.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import type { ProjectRepo } from './project.repo.ts'

export type ProjectService = ReturnType<typeof makeProjectService>

export interface ProjectServiceOptions {
  repo: ProjectRepo
  clock: Clock
  /** Told that disks and snapshots are left to be removed, and what the engine keeps for it. */
  onDeleted: (projectId: string) => void
  changed: Changed
}

export function makeProjectService({ repo, clock, onDeleted, changed }: ProjectServiceOptions) {
  const told = (userId: string, { id, name }: Project, what: Told) =>
    entry(clock.now(), { type: 'project', id, name, projectId: id, accountId: userId }, what)

  return {
    roleOf: repo.roleOf,
    list: (userId: string): Promise<Project[]> => repo.list(userId),
    /** For operators: the names of projects, and who owns them. */
    owners: repo.owners,
    /** For the event bus. */
    read: (ids: readonly string[]): Promise<Project[]> => repo.findAll(ids),

    async create(userId: string, input: ProjectCreate): Promise<Project> {
      const project = {
        id: newId(clock.now()),
        name: input.name,
        description: input.description,
        created_at: isoTime(clock.now()),
      }
      await repo.insert(
        { ...project, account_id: userId, internet: 1 },
        told(userId, project, wish(userId, 'project.create', `Created project ${project.name}`)),
      )
      changed('project', project.id, project.id, userId)
      return project
    },

    async delete(userId: string, projectId: string): Promise<void> {
      const [project] = await repo.findAll([projectId])
      if (!project) throw new Problem(404, messages.projectNotFound)
      const deleted = told(userId, project, wish(userId, 'project.delete', `Deleted project ${project.name}`))
      if (!(await repo.deleteEmpty(projectId, deleted))) throw new Problem(409, projectTexts.hasVms)
      changed('project', projectId, projectId, userId)
      onDeleted(projectId)
    },
  }
}
