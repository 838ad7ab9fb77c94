/** Keeps the engine told what the networks of projects are like: who is in them, under which names, and what they reach. */
import { networkNames, projectLabelOf } from '@slipway/contract'
import type { Engine, NetworkSpec } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Again } from '../lib/reconciler.ts'
import type { NetworkRepo } from './network.repo.ts'
import type { ProjectNetwork } from './network.state.ts'

export interface NetworkReconcileOptions {
  repo: Pick<NetworkRepo, 'find' | 'all'>
  engine: Pick<Engine, 'putNetwork'>
  /** Looks at what the engine keeps for a project that is gone. */
  onGone: (projectId: string) => void
  clock: Clock
}

/** Thousands of VMs of a project that change at once are a few looks; a VM is found within a second all the same. */
const betweenLooksMs = 400

const specOf = ({ project, internet, vms, groups }: ProjectNetwork): NetworkSpec => ({
  label: projectLabelOf(project.name),
  internet,
  names: networkNames(vms, groups),
})

export function makeNetworkReconcile({ repo, engine, onGone, clock }: NetworkReconcileOptions) {
  /**
   * What the engine was told by this process: after a start everything once, it may be another engine. Null: it is not
   * known whether that was understood.
   */
  const told = new Map<string, string | null>()
  const lookedAt = new Map<string, number>()

  async function put(projectId: string, network: ProjectNetwork): Promise<void> {
    const spec = specOf(network)
    const text = JSON.stringify(spec)
    if (told.get(projectId) === text) return
    told.set(projectId, null)
    await engine.putNetwork(projectId, spec)
    told.set(projectId, text)
  }

  return {
    async look(id: string): Promise<Again> {
      const early = (lookedAt.get(id) ?? Number.NEGATIVE_INFINITY) + betweenLooksMs - clock.monotonic()
      if (early > 0) return { afterMs: early }
      const network = await repo.find(id)
      if (network) {
        await put(id, network)
        // Not when it failed: a look that only waits would count as a success.
        lookedAt.set(id, clock.monotonic())
        return 'when-kicked'
      }
      lookedAt.delete(id)
      // The project may have gone while its network was put, and with it what the engine kept until then.
      if (told.delete(id)) onGone(id)
      return 'when-kicked'
    },

    async scan(): Promise<string[]> {
      const networks = await repo.all()
      const there = new Set(networks.map(({ project }) => project.id))
      return [
        ...networks
          .filter((network) => told.get(network.project.id) !== JSON.stringify(specOf(network)))
          .map(({ project }) => project.id),
        ...[...told.keys()].filter((id) => !there.has(id)),
      ]
    },
  }
}
