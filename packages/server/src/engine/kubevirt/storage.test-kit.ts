/** A cluster for tests, with projects and machines made by hand. */
import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { makeAttachments } from './attachments.ts'
import { groundOver, newClient, newPrefix } from './cluster.test-kit.ts'
import { makeGrowth } from './growth.ts'
import { anySource } from './images.test-kit.ts'
import { kinds, type VirtualMachine } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import type { KubeObject } from './kube/objects.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { withVolumes } from './machine-volumes.ts'
import { makeOnce } from './removal.ts'
import { makeRestores } from './restore.ts'
import { makeVolumeSnapshots } from './volume-snapshots.ts'
import { makeVolumes } from './volumes.ts'

export type TestCluster = Awaited<ReturnType<typeof openTestCluster>>

/** Patience of the parts, in a hurry: what never comes is not waited for longer than that. */
const hurry = { stillMs: 2_500, attachMs: 4_000, detachMs: 4_000, healMs: 1_500 }

const disk = { storage: { resources: { requests: { storage: '64Mi' } } } }

/** Objects of a kind are made with these annotations: that is how a played cluster is told to misbehave. */
type Wrongs = Map<string, Record<string, string>>

/** A project of its own on the cluster for tests, and the parts of an engine that are about its storage. */
export async function openTestCluster() {
  const projectId = randomUUID()
  const plain = await newClient()
  const wrongs: Wrongs = new Map()
  /** So many more times what there is of a kind is not shown yet. */
  const late = new Map<string, number>()
  const client: KubeClient = {
    ...plain,
    async list(kind, ...query) {
      const page = await plain.list(kind, ...query)
      const times = late.get(kind.plural) ?? 0
      late.set(kind.plural, Math.max(0, times - 1))
      return times === 0 ? page : { ...page, items: [] }
    },
    create: (kind, namespace, object, options) => {
      const annotations = { ...object.metadata.annotations, ...wrongs.get(kind.plural) }
      const metadata = { ...object.metadata, annotations }
      return plain.create(kind, namespace, { ...object, metadata }, options)
    },
  }
  const ground = groundOver(client, newPrefix())
  const { names, mirror } = ground
  await mirror.synced
  const sources = anySource(128 * 2 ** 20)
  async function ensureProject(projectId: string): Promise<void> {
    const name = names.namespaceOf(projectId)
    const metadata = { name, labels: names.labels('project', projectId, projectId) }
    await client.create(kinds.namespaces, undefined, { kind: 'Namespace', metadata }).catch(() => {})
  }

  const snapshots = makeMachineSnapshots(ground, hurry)
  const growth = makeGrowth(ground, { copiedMs: 2_000, givenMs: hurry.stillMs })
  const engine = {
    ...makeVolumes(ground, { ensureProject, sources, stillMs: hurry.stillMs }),
    ...makeAttachments(ground, hurry),
    ...makeVolumeSnapshots(ground, hurry),
    ...snapshots,
    ...growth,
    ...makeRestores(ground, snapshots, growth),
  }

  const namespace = names.namespaceOf(projectId)
  await ensureProject(projectId)

  /** A machine with a root disk, as far as volumes and snapshots are about it. */
  async function makeMachine(options: { volumeIds?: string[]; annotations?: Record<string, string> } = {}) {
    const id = randomUUID()
    const name = names.machine(id)
    const bare: VirtualMachine['spec'] = {
      runStrategy: 'Manual',
      dataVolumeTemplates: [
        {
          metadata: { name: names.rootDisk(id), labels: names.labels('root-disk', id, projectId) },
          spec: { source: { blank: {} }, ...disk },
        },
      ],
      template: {
        // The instance gets its labels from here.
        metadata: { labels: names.labels('machine', id, projectId) },
        spec: {
          domain: {
            memory: { guest: '128Mi' },
            devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
          },
          volumes: [{ name: 'root', dataVolume: { name: names.rootDisk(id) } }],
        },
      },
    }
    const made = await makeOnce(ground, kinds.machines, namespace, {
      kind: 'VirtualMachine',
      metadata: {
        name,
        labels: names.labels('machine', id, projectId),
        annotations: options.annotations ?? {},
      },
      spec: withVolumes(names, bare, options.volumeIds ?? []),
    })
    mirror.machines.observe(made)
    await eventually(
      () => mirror.machines.by('id', id)[0]?.status?.volumeSnapshotStatuses?.[0]?.enabled,
      true,
    )
    await eventually(() => mirror.dataVolumes.by('id', id)[0]?.status?.phase, 'Succeeded')
    return id
  }

  const at = (machineId: string) => ({ namespace, name: names.machine(machineId) })
  const command = (machineId: string, word: 'start' | 'stop') =>
    client.put({ ...kinds.machines, group: 'subresources.kubevirt.io' }, at(machineId), word)
  const guest = (machineId: string) => mirror.instances.get(`${namespace}/${names.machine(machineId)}`)

  return {
    ground,
    engine,
    wrongs,
    late,
    names,
    mirror,
    client,
    projectId,
    namespace,
    makeMachine,
    at,
    machine: (id: string) => client.get(kinds.machines, at(id)),
    /** Resolves when the guest runs, and when its agent is there unless it has none. */
    async start(id: string, withAgent = true) {
      await command(id, 'start')
      await eventually(() => guest(id)?.status?.phase, 'Running')
      if (withAgent) await eventually(() => agentOf(guest(id)?.status?.conditions), true)
    },
    async stop(id: string) {
      await command(id, 'stop')
      await eventually(() => guest(id), null)
    },
    guest,
    /** Names of all that is left of a kind. */
    async left(kind: (typeof kinds)[keyof typeof kinds]): Promise<string[]> {
      const { items } = await client.list<KubeObject>(kind, { namespace })
      return items.map(({ metadata }) => metadata.name)
    },
    async close() {
      await plain.remove(kinds.namespaces, { name: namespace })
      await mirror.close()
      plain.close()
    },
  }
}

const agentOf = (conditions: readonly { type: string; status: string }[] = []): boolean =>
  conditions.some(({ type, status }) => type === 'AgentConnected' && status === 'True')

/** Resolves when it is so. */
export const eventually = (look: () => unknown, is: unknown): Promise<void> =>
  vi.waitFor(async () => expect(await look()).toEqual(is), { timeout: 20_000, interval: 20 })
