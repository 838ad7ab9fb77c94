/** Removes what projects had of their own in the engine, such as a namespace, once they and all they had are gone. */
import { type Engine, EngineError } from '../engine/engine.ts'
import type { Again } from '../lib/reconciler.ts'
import type { ProjectRepo } from './project.repo.ts'

export interface ProjectReconcileOptions {
  repo: Pick<ProjectRepo, 'findAll'>
  engine: Pick<Engine, 'listProjects' | 'deleteProject'>
}

/** Disks and snapshots of a deleted project go one by one; which are left, only the engine can tell. */
const busyPollMs = 2_000

export function makeProjectReconcile({ repo, engine }: ProjectReconcileOptions) {
  async function gone(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return []
    const there = new Set((await repo.findAll(ids)).map(({ id }) => id))
    return ids.filter((id) => !there.has(id))
  }

  return {
    async look(id: string): Promise<Again> {
      if ((await gone([id])).length === 0) return 'when-kicked'
      try {
        await engine.deleteProject(id)
      } catch (error) {
        // No failure: it waits for what belonged to it.
        if (error instanceof EngineError && error.code === 'project-busy') return { afterMs: busyPollMs }
        throw error
      }
      return 'when-kicked'
    },
    scan: async (): Promise<string[]> => gone(await engine.listProjects()),
  }
}
