import {
  messages,
  type Project,
  type ProjectCreate,
  type ProjectRole,
  projectTexts,
  type User,
} from '@slipway/contract'
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
  const told = (userId: string, { id, name }: Pick<Project, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'project', id, name, projectId: id, accountId: userId }, what)

  return {
    roleOf: repo.roleOf,
    standingOf: repo.standingOf,
    list: (userId: string): Promise<Project[]> => repo.list(userId),
    /** For operators: the names of projects, and who owns them. */
    owners: repo.owners,
    /** For the event bus. */
    read: (ids: readonly string[]): Promise<Project[]> => repo.findAll(ids),

    /** A project as one of these members sees it. */
    asSeenBy: (project: Project, role: ProjectRole): Project => ({ ...project, role }),

    async create(user: Pick<User, 'id' | 'name'>, input: ProjectCreate): Promise<Project> {
      const project = {
        id: newId(clock.now()),
        name: input.name,
        description: input.description,
        created_at: isoTime(clock.now()),
      }
      await repo.insert(
        { ...project, account_id: user.id, internet: 1 },
        told(user.id, project, wish(user.id, 'project.create', `Created project ${project.name}`)),
      )
      changed('project', project.id, project.id, { roles: { [user.id]: 'owner' } })
      return { ...project, role: 'owner', owner_name: user.name, delete_at: null }
    },

    async delete(userId: string, projectId: string): Promise<void> {
      const [project] = await repo.findAll([projectId])
      if (!project) throw new Problem(404, messages.projectNotFound)
      const roles = await repo.rolesIn(projectId)
      const deleted = told(userId, project, wish(userId, 'project.delete', `Deleted project ${project.name}`))
      if (!(await repo.deleteEmpty(projectId, deleted))) throw new Problem(409, projectTexts.hasVms)
      changed('project', projectId, projectId, { roles })
      onDeleted(projectId)
    },
  }
}
