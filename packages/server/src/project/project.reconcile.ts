/**
 * Has the VMs of projects and of groups in the bin rest and go on, and removes what projects had of their own in the engine, such as a
 * namespace, once they and all they had are gone.
 */
import { type Engine, EngineError } from '../engine/engine.ts'
import type { Again } from '../lib/reconciler.ts'
import type { ProjectRepo } from './project.repo.ts'

/** What the service of VMs does for it. */
export interface VmsOfProjects {
  restless: (projectId: string) => Promise<string[]>
  resting: (projectId: string) => Promise<string[]>
  unsettledProjects: () => Promise<string[]>
  /** False while something goes on with the VM that has to end first. */
  rest: (vmId: string) => Promise<boolean>
  goOn: (vmId: string) => Promise<void>
}

export interface ProjectReconcileOptions {
  repo: Pick<ProjectRepo, 'placeOf' | 'present'>
  engine: Pick<Engine, 'listProjects' | 'deleteProject'>
  /** Built later. */
  vms: () => VmsOfProjects
  /** The groups of a project go on. */
  onGoesOn: (projectId: string) => void
}

/** Disks and snapshots of a deleted project go one by one; which are left, only the engine can tell. */
const busyPollMs = 2_000

export function makeProjectReconcile({ repo, engine, vms, onGoesOn }: ProjectReconcileOptions) {
  /** VMs that are on their way somewhere rest when they have arrived; until then their own deadlines count. */
  async function rest(projectId: string): Promise<Again> {
    let isAtRest = true
    for (const vmId of await vms().restless(projectId)) if (!(await vms().rest(vmId))) isAtRest = false
    return isAtRest ? 'when-kicked' : { afterMs: busyPollMs }
  }

  async function goOn(projectId: string): Promise<void> {
    for (const vmId of await vms().resting(projectId)) await vms().goOn(vmId)
    onGoesOn(projectId)
  }

  async function clear(projectId: string): Promise<Again> {
    try {
      await engine.deleteProject(projectId)
    } catch (error) {
      // No failure: it waits for what belonged to it.
      if (error instanceof EngineError && error.code === 'project-busy') return { afterMs: busyPollMs }
      throw error
    }
    return 'when-kicked'
  }

  return {
    async look(id: string): Promise<Again> {
      const place = await repo.placeOf(id)
      if (place === null) return clear(id)
      // In a project that is there, those of its pools and sets in the bin.
      const again = await rest(id)
      if (place !== 'in-bin') await goOn(id)
      return again
    },

    async scan(): Promise<string[]> {
      const [listed, unsettled] = await Promise.all([engine.listProjects(), vms().unsettledProjects()])
      const present = new Set(listed.length === 0 ? [] : await repo.present(listed))
      return [...listed.filter((id) => !present.has(id)), ...unsettled]
    },
  }
}
