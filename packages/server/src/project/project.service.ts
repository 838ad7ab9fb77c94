import {
  keptText,
  messages,
  type Project,
  type ProjectCreate,
  type ProjectRole,
  projectTexts,
  type User,
} from '@slipway/contract'
import { type Entry, entry, type Told, wish } from '../activity/entry.ts'
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
  /** Told that its VMs are to rest. */
  onBinned: (projectId: string) => void
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
  changed: Changed
}

export function makeProjectService(options: ProjectServiceOptions) {
  const { repo, clock, onDeleted, onBinned, binDays, changed } = options
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

    /**
     * Goes to the bin with everything in it, unless it is deleted for good. One that has VMs is refused, unless they go with
     * it.
     */
    async delete(
      userId: string,
      projectId: string,
      { withVms = false, forGood = false }: { withVms?: boolean; forGood?: boolean } = {},
    ): Promise<void> {
      const [project] = await repo.findAll([projectId])
      if (!project) throw new Problem(404, messages.projectNotFound)
      const isKept = !forGood && binDays > 0
      const deleted = told(
        userId,
        project,
        wish(userId, 'project.delete', `Deleted project ${project.name}`, isKept ? keptText(binDays) : null),
      )
      if (!isKept) {
        const roles = await repo.rolesIn(projectId)
        refuse(await repo.remove(projectId, { withVms, from: 'in-use' }, deleted))
        changed('project', projectId, projectId, { roles, ends: true })
        return onDeleted(projectId)
      }
      const gone = await repo.putInBin(projectId, { withVms, deletedBy: userId, days: binDays }, deleted)
      if (typeof gone === 'string') return refuse(gone)
      changed('project', projectId, projectId, { roles: gone.roles, ends: true })
      for (const id of gone.shareIds) changed('share', projectId, id)
      onBinned(projectId)
    },

    /** For those who have checked who asks: deletes a project for good with everything in it. Throws 404 and 409. */
    async remove(projectId: string, from: 'in-bin' | null, entryAt: Entry): Promise<void> {
      refuse(await repo.remove(projectId, { withVms: true, from }, entryAt))
      changed('project', projectId, projectId, { roles: {}, ends: true })
      onDeleted(projectId)
    },

    /** In the name of an account that is being deleted: all of it goes, from the bin as well. */
    async removeWithAccount(accountId: string, projectId: string): Promise<void> {
      const [named] = await repo.owners([projectId])
      if (!named) throw new Problem(404, messages.projectNotFound)
      const deleted = wish(accountId, 'project.delete', `Deleted project ${named.name}`)
      const roles = await repo.rolesIn(projectId)
      refuse(await repo.remove(projectId, { withVms: true, from: null }, told(accountId, named, deleted)))
      changed('project', projectId, projectId, { roles, ends: true })
      onDeleted(projectId)
    },
  }
}

/** Throws what a person is told when a project was not deleted. */
function refuse(verdict: Awaited<ReturnType<ProjectRepo['remove']>>): void {
  if (verdict === 'missing') throw new Problem(404, messages.projectNotFound)
  if (verdict === 'has-vms') throw new Problem(409, projectTexts.hasVms)
  if (verdict === 'protected') throw new Problem(409, projectTexts.hasProtectedVms)
  if (verdict === 'busy') throw new Problem(409, projectTexts.busy)
}
