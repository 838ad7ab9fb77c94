/** The real app over the engine of a cluster that misbehaves: what is called after a fault has it. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestAppOver, withoutBin } from './app.test-kit.ts'
import { openDeskAt } from './desk.test-kit.ts'
import { anySource, imagesOf } from './engine/kubevirt/images.test-kit.ts'
import { kinds } from './engine/kubevirt/kinds.ts'
import { type KubeClient, makeKubeClient } from './engine/kubevirt/kube/kube-client.ts'
import { readKubeconfig } from './engine/kubevirt/kube/kubeconfig.ts'
import type { At, Kind, KubeObject } from './engine/kubevirt/kube/objects.ts'
import { makeKubevirtEngine } from './engine/kubevirt/kubevirt-engine.ts'
import { makeNames, marksOf } from './engine/kubevirt/names.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { run } from './lib/command.ts'
import { silentLog } from './lib/log.ts'

const MIB = 2 ** 20

/** Real time, which can be told to jump: what falls due meanwhile fires at once. */
export function makeSkippingClock(): Clock & { skip(ms: number): void } {
  let skipped = 0
  const timers = new Map<object, { due: number; fire: () => void }>()
  const monotonic = () => performance.now() + skipped
  return {
    now: () => Date.now() + skipped,
    monotonic,
    after(ms, callback) {
      const key = {}
      const fire = () => {
        timers.delete(key)
        stop()
        callback()
      }
      const stop = systemClock.after(ms, fire)
      timers.set(key, { due: monotonic() + ms, fire })
      return () => {
        timers.delete(key)
        stop()
      }
    },
    skip(ms) {
      skipped += ms
      const due = [...timers.values()].filter((timer) => timer.due <= monotonic())
      for (const { fire } of due.sort((a, b) => a.due - b.due)) fire()
    },
  }
}

const refused = (object: object) => ({
  spec: { ...('spec' in object && object.spec instanceof Object ? object.spec : {}), runStrategy: 'Forever' },
})

export interface ClusterOfFaults {
  kubeconfig: string
  /** The annotation by which an object is told to misbehave. */
  annotation: string
  /** `COMMAND word…` makes the whole cluster misbehave. */
  command: string
}

export type BadDays = Awaited<ReturnType<typeof openBadDays>>

/** A desk whose VMs, disks and snapshots misbehave as their names say; `calm` ends that for one of them. */
export async function openBadDays({ kubeconfig, annotation, command }: ClusterOfFaults) {
  const prefix = `slipway-${randomBytes(3).toString('hex')}`
  const names = makeNames(prefix)
  const clock = makeSkippingClock()
  const cluster = await readKubeconfig(kubeconfig, systemClock)
  const plain = makeKubeClient(cluster, { clock: systemClock, qps: 500, burst: 500 })
  const image = { namespace: names.imagesNamespace, name: 'image-test', sizeBytes: 64 * MIB }
  const labels = names.labels('image', 'images', null)
  await plain.create(kinds.namespaces, undefined, {
    kind: 'Namespace',
    metadata: { name: image.namespace, labels },
  })
  await plain.create(kinds.dataVolumes, image.namespace, {
    kind: 'DataVolume',
    metadata: { name: image.name, labels: names.labels('image', 'test', null) },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '64Mi' } } } },
  })

  /** By our id. */
  const faults = new Map<string, string>()
  const own = makeKubeClient(cluster, { clock: systemClock, qps: 500, burst: 500 })
  const client: KubeClient = {
    ...own,
    async create(kind, namespace, object, options) {
      const word = await faultOf(marksOf(object.metadata.labels).id)
      const metadata = { ...object.metadata }
      if (word !== undefined) metadata.annotations = { ...metadata.annotations, [annotation]: word }
      // KubeVirt refuses what it does not know; the schema of the API server lets it through.
      const spec = word === 'refused' && kind.plural === kinds.machines.plural ? refused(object) : {}
      return own.create(kind, namespace, { ...object, ...spec, metadata }, options)
    },
  }
  const directory = await mkdtemp(join(tmpdir(), 'slipway-bad-days-'))
  const engine = makeKubevirtEngine({
    ...{ client, prefix, storageClass: null, snapshotClass: null, rootBytes: 64 * MIB },
    ...{ clock, log: silentLog, recorder: { directory }, networks: true, prometheusUrl: null },
    images: () => imagesOf(image),
    sources: () => anySource(64 * MIB),
  })
  await engine.open()
  const app = await makeTestAppOver(
    { clock, engine, passTime: async () => {} },
    { ...withoutBin, maxVmsPerProject: 100 },
  )
  const desk = await openDeskAt(app, async () => {})
  const namespace = names.namespaceOf(desk.params.projectId)

  /** What it is called after; nothing where the word is none of the cluster's. */
  async function faultOf(id: string): Promise<string | undefined> {
    const known = faults.get(id)
    if (known !== undefined) return known
    for (const table of ['vm', 'disk', 'vm_snapshot', 'disk_snapshot'] as const) {
      const found = await app.db.selectFrom(table).select('name').where('id', '=', id).executeTakeFirst()
      if (found) return found.name.split(' ')[0]
    }
    return undefined
  }

  const at = {
    vm: (id: string): At => ({ namespace, name: names.machine(id) }),
    root: (id: string): At => ({ namespace, name: names.rootDisk(id) }),
    seed: (id: string): At => ({ namespace, name: names.seed(id) }),
    disk: (id: string): At => ({ namespace, name: names.volume(id) }),
    vmSnapshot: (id: string): At => ({ namespace, name: names.machineSnapshot(id) }),
    diskSnapshot: (id: string): At => ({ namespace, name: names.volumeSnapshot(id) }),
  }

  return {
    desk,
    engine,
    clock,
    names,
    namespace,
    at,
    /** Of an administrator, past the engine. */
    admin: plain,
    /** Names of all that is left of a kind in the project. */
    async left(kind: Kind<KubeObject>): Promise<string[]> {
      const { items } = await plain.list(kind, { namespace })
      return items.map(({ metadata }) => metadata.name)
    },
    /** The whole cluster: `outage on`. */
    async fault(...words: string[]): Promise<void> {
      const [program = '', ...first] = command.split(' ')
      await run(program, [...first, ...words])
    },
    /** Another fault, or none, from now on. */
    async become(kind: Kind, id: string, where: At, word: string): Promise<void> {
      faults.set(id, word)
      await plain.merge(kind, where, { metadata: { annotations: { [annotation]: word } } })
    },
    async close(): Promise<void> {
      await app.close()
      for (const name of [namespace, image.namespace])
        await plain.remove(kinds.namespaces, { name }).catch(() => {})
      plain.close()
      await rm(directory, { recursive: true })
    },
  }
}
