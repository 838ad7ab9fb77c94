/** A cluster for tests, with projects and machines made by hand. */
import { randomBytes, randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { makeAttachments } from './attachments.ts'
import type { ForeignSources } from './foreign-sources.ts'
import type { Ground } from './ground.ts'
import { makeGrowth } from './growth.ts'
import { kinds, type MachineRestore, type VirtualMachine } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import type { KubeObject } from './kube/objects.ts'
import { makeHolders } from './machine-holders.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { withVolumes } from './machine-volumes.ts'
import { makeMirror } from './mirror.ts'
import { makeNames } from './names.ts'
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

/** @param kubeconfig of an administrator of a cluster for tests */
export async function openTestCluster(
  kubeconfig: string,
  { projectId = randomUUID(), prefix = `slipway-${randomBytes(3).toString('hex')}` } = {},
) {
  const cluster = await readKubeconfig(kubeconfig, systemClock)
  const plain = makeKubeClient(cluster, { clock: systemClock, qps: 500, burst: 500 })
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
      return plain.create(
        kind,
        namespace,
        { ...object, metadata: { ...object.metadata, annotations } },
        options,
      )
    },
  }
  const names = makeNames(prefix)
  const mirror = makeMirror({ client, names, clock: systemClock, log: silentLog })
  await mirror.synced
  const ground: Ground = {
    client,
    mirror,
    names,
    clock: systemClock,
    log: silentLog,
    storageClass: null,
    snapshotClass: null,
  }
  const sources: ForeignSources = {
    url: async (text) => ({ url: text, sha256: null, bytes: 128 * 2 ** 20 }),
    registry: async (image) => `docker://${image}`,
    guard: async () => {},
  }
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
  async function makeMachine(
    options: { id?: string; volumeIds?: string[]; annotations?: Record<string, string> } = {},
  ) {
    const { id = randomUUID() } = options
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
    setVolumes: (id: string, volumeIds: string[]) =>
      makeHolders(ground).setVolumes(at(id), () => volumeIds, 'The disks of the VM could not be set.'),
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
    /** A restore as an earlier process left it. */
    restoreOf: (machineId: string): Promise<MachineRestore> =>
      client.get(kinds.machineRestores, { namespace, name: names.restore(machineId) }),
    /** Leaves what is in the cluster. */
    async letGo() {
      await mirror.close()
      plain.close()
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
