/**
 * The networks of projects: guests of a project reach each other over the network of the cluster. What they may reach is a
 * policy, and by which names they are found are endpoints. Both are compared with what was told whenever one of them, or
 * the address of a guest, changes, and put back. Only the server that drives is told of networks, so only that one writes.
 */
import { atMost } from '../../lib/at-most.ts'
import { makeReconciler } from '../../lib/reconciler.ts'
import type { Engine, NetworkSpec } from '../engine.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import { type GuestNames, namedAddresses } from './guest-names.ts'
import { guestAddress } from './machine-state.ts'
import type { MirroredInstance } from './mirror.ts'
import type { Policies } from './project-policy.ts'
import type { Projects } from './projects.ts'
import { requireSight } from './sight.ts'

const notKept = 'The network of the project could not be set up in the cluster.'

/** What was told of a project. */
interface Network {
  spec: NetworkSpec
  /** What stood in the cluster the last time; null before that. */
  stood: string | null
  /** When it was looked at, of the clock. */
  lookedAt: number
  /** One at a time, as each makes what it does not see. */
  inTurn: ReturnType<typeof atMost>
}

/** Lost events heal by then. */
const lookEveryMs = 60_000
const atOnce = 8
/** Many guests that start together are a few writes; a guest is found within a second all the same. */
const betweenLooksMs = 300

const livesAt = (instance: MirroredInstance | null): string | null =>
  instance?.status?.phase === 'Running' && !instance.isGoing ? (guestAddress(instance)?.ip ?? null) : null

export interface ProjectNetworkParts {
  projects: Pick<Projects, 'ensureProject' | 'deleteProject'>
  policies: Policies
  guestNames: GuestNames
  /** Whether projects have networks. */
  isOn: boolean
}

export function makeProjectNetworks(ground: Ground, parts: ProjectNetworkParts) {
  const { mirror, clock, log } = ground
  const { projects, policies, guestNames, isOn } = parts
  const told = new Map<string, Network>()
  const stops: (() => void)[] = []

  const addressesIn = (projectId: string): Map<string, string> =>
    new Map(
      mirror.instances.all().flatMap((instance) => {
        const address = instance.projectId === projectId ? livesAt(instance) : null
        return address === null ? [] : [[instance.id, address]]
      }),
    )

  async function settle(projectId: string, network: Network): Promise<void> {
    if (told.get(projectId) !== network) return
    const { spec } = network
    const named = namedAddresses(spec.names, addressesIn(projectId))
    const wanted = JSON.stringify([spec.internet, named])
    await projects.ensureProject(projectId)
    const rules = await policies.keep(projectId)
    const names = await guestNames.keep(projectId, named)
    if (network.stood === wanted && (rules || names))
      log.warn(
        { projectId, rules, names },
        'Parts of the networks of projects were missing and have been put back',
      )
    network.stood = wanted
  }

  const reconciler = makeReconciler({
    name: 'networks of the cluster',
    look: async (projectId) => {
      const network = told.get(projectId)
      if (!network) return 'when-kicked'
      const early = network.lookedAt + betweenLooksMs - clock.monotonic()
      if (early > 0) return { afterMs: early }
      await network.inTurn(() => settle(projectId, network))
      network.lookedAt = clock.monotonic()
      return 'when-kicked'
    },
    scan: async () => [...told.keys()],
    scanEveryMs: lookEveryMs,
    parallel: atOnce,
    clock,
    log,
    within: (act) => act(),
  })

  const kick = (projectId: string): void => {
    if (told.has(projectId)) reconciler.kick(projectId)
  }

  return {
    /** Once all is mirrored. */
    async open(): Promise<void> {
      if (!isOn) {
        for (const { projectId } of mirror.services.all()) await guestNames.remove(projectId)
        return
      }
      const ofProject = (
        _key: string,
        before: { projectId: string } | null,
        now: { projectId: string } | null,
      ) => kick((now ?? before)?.projectId ?? '')
      stops.push(
        ...[mirror.projects, mirror.policies, mirror.services, mirror.endpointSlices].map((kept) =>
          kept.onChange(ofProject),
        ),
        mirror.instances.onChange((_key, before, now) => {
          if (livesAt(before) !== livesAt(now)) kick((now ?? before)?.projectId ?? '')
        }),
      )
      await reconciler.start()
    },

    async close(): Promise<void> {
      for (const stop of stops.splice(0)) stop()
      await reconciler.stop()
    },

    async putNetwork(projectId: string, spec: NetworkSpec): Promise<void> {
      if (!isOn) return
      requireSight(ground)
      const network = told.get(projectId) ?? {
        spec,
        stood: null,
        lookedAt: Number.NEGATIVE_INFINITY,
        inTurn: atMost(1),
      }
      told.set(projectId, network)
      await inOurWords(notKept, () =>
        network.inTurn(() => {
          network.spec = spec
          told.set(projectId, network)
          policies.tell(projectId, spec.internet)
          return settle(projectId, network)
        }),
      )
    },

    async networkAddresses(projectId: string): Promise<Map<string, string>> {
      return isOn ? addressesIn(projectId) : new Map()
    },

    async deleteProject(projectId: string): Promise<void> {
      const network = told.get(projectId)
      // What is under way would make it again.
      const remove = async () => {
        await projects.deleteProject(projectId)
        told.delete(projectId)
        policies.forget(projectId)
      }
      await (network ? network.inTurn(remove) : remove())
    },
  } satisfies Pick<Engine, 'putNetwork' | 'networkAddresses' | 'deleteProject'> & Record<string, unknown>
}
