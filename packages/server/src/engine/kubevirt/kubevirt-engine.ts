/** The engine `kubevirt`: its parts, put together. Each of them says what it does and does not do. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Engine, EngineError } from '../engine.ts'
import { clusterLimits, noLimits } from '../limits.ts'
import { startScriptFiles } from '../seed-script.ts'
import { makeAttachments } from './attachments.ts'
import { makeConsoles, openRecorder, type RecorderPlace } from './consoles.ts'
import type { ForeignSources } from './foreign-sources.ts'
import type { Ground } from './ground.ts'
import { makeGrowth } from './growth.ts'
import { makeGuestNames, networkDomainOf } from './guest-names.ts'
import type { Images } from './images.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { plugsDisks } from './kubevirt-gates.ts'
import { makeLines } from './lines.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { makeMachines } from './machines.ts'
import { makeMirror } from './mirror.ts'
import { goOn, whenMirrored } from './mirror-wait.ts'
import { makeNames } from './names.ts'
import { makeProjectNetworks } from './project-networks.ts'
import { makePolicies } from './project-policy.ts'
import { makeProjects, type Quota } from './projects.ts'
import { makeReadiness } from './readiness.ts'
import type { Recorder } from './recorder.ts'
import { makeRestores } from './restore.ts'
import { makeRunNotes } from './run-notes.ts'
import { requireSight } from './sight.ts'
import { chosenClass, letsGrow } from './storage-class.ts'
import { makeUsage, usageSource } from './usage.ts'
import { makeVolumeSnapshots } from './volume-snapshots.ts'
import { makeVolumes } from './volumes.ts'

export interface KubevirtOptions {
  client: KubeClient
  /** What the names of its namespaces begin with. */
  prefix: string
  storageClass: string | null
  snapshotClass: string | null
  /** What the quota of each project holds, such as `requests.memory: 64Gi`; empty for none. */
  quota?: Quota
  /** Whether guests of a project find each other, and reach nothing but the Internet beside. */
  networks: boolean
  /** Least size of root disks. */
  rootBytes: number
  clock: Clock
  log: Log
  sources: (ground: Ground) => ForeignSources
  images: (ground: Ground, sources: ForeignSources) => Images
  /** Where consoles are recorded. */
  recorder: RecorderPlace
  /** A Prometheus with the figures of KubeVirt; the metrics API of the cluster where there is none. */
  prometheusUrl: string | null
}

const withNetworks =
  'VMs of a project reach each other and find each other by name. They can reach the Internet unless that is switched off for the project. Private networks and other projects are blocked where the network of the cluster enforces policies.'
const withoutNetworks =
  'VMs reach the network of the cluster and the Internet as far as the cluster lets them; they are reached from VMs of their own project only, where the network of the cluster enforces policies.'

/** Everything has to be listed once before anything can be told. */
const listedMs = 60_000

export function makeKubevirtEngine(options: KubevirtOptions): Engine {
  const { client, clock, log, storageClass, snapshotClass } = options
  const names = makeNames(options.prefix)
  const mirror = makeMirror({ client, names, clock, log })
  const ground: Ground = { client, mirror, names, clock, log, storageClass, snapshotClass }

  const policies = makePolicies(ground, options.networks)
  const projects = makeProjects(ground, { policies, ...(options.quota && { quota: options.quota }) })
  const { ensureProject } = projects
  const guestNames = makeGuestNames(ground)
  const networks = makeProjectNetworks(ground, { projects, policies, guestNames, isOn: options.networks })
  const sources = options.sources(ground)
  const { claimOf, ...images } = options.images(ground, sources)
  const notes = makeRunNotes(ground)
  const lines = makeLines(ground)
  const machines = makeMachines(ground, {
    notes,
    claimOf,
    ensureProject,
    protect: policies.keep,
    rootBytes: options.rootBytes,
  })
  const snapshots = makeMachineSnapshots(ground)
  const volumeSnapshots = makeVolumeSnapshots(ground)
  const growth = makeGrowth(ground)
  /** The sentence, unless the storage lets disks grow. An operator may change that at any time. */
  const unlessGrowing = (sentence: string): string | null =>
    letsGrow(chosenClass(mirror.storageClasses.all(), storageClass)) ? null : sentence
  let readiness: { close(): void } | null = null
  let recorder: Recorder | null = null
  const consoles = makeConsoles(ground, { open: async (machineId) => recorder?.open(machineId) ?? null })

  const inspectSnapshot: Engine['inspectSnapshot'] = async (kind, id) =>
    kind === 'machine' ? snapshots.inspectMachineSnapshot(id) : volumeSnapshots.inspectVolumeSnapshot(id)

  return {
    kind: 'kubevirt',
    capabilities: {
      accelerator: null,
      acceleratorReason: null,
      network: options.networks ? withNetworks : withoutNetworks,
      networkDomain: networkDomainOf(names),
      reach: 'directory' in options.recorder ? 'one-server' : 'any-server',
      addresses: 'inside',
      undecided: null,
      cannot: {
        ...noLimits,
        memorySnapshots: clusterLimits.memorySnapshots,
        suspend: clusterLimits.suspend,
        copies: clusterLimits.copies,
        incrementalSnapshots: clusterLimits.incrementalSnapshots,
        backups: clusterLimits.backups,
        diskFiles: clusterLimits.diskFiles,
        get hotPlug() {
          return mirror.kubevirts.all().every(plugsDisks) ? null : clusterLimits.hotPlug
        },
        get growDisks() {
          return unlessGrowing(clusterLimits.growDisks)
        },
        get growRootDisks() {
          return unlessGrowing(clusterLimits.growRootDisks)
        },
        changeKeys: clusterLimits.changeKeys,
        networks: options.networks ? null : clusterLimits.networks,
      },
    },

    async open() {
      const tooLate = whenMirrored(clock, [], () => null, { ms: listedMs })
      const listed = await Promise.race([mirror.synced.then(() => true), tooLate])
      if (!listed) {
        const why = mirror.machines.trouble()?.message
        throw new Error(`The cluster could not be read within a minute${why ? `: ${why}` : '.'}`)
      }
      recorder = await openRecorder(ground, options.recorder)
      notes.catchUp()
      await networks.open()
      readiness = makeReadiness(ground, lines, notes.ready)
    },

    async close() {
      readiness?.close()
      await networks.close()
      notes.close()
      await recorder?.close()
      await mirror.close()
      client.close()
    },

    async freeMemoryMb() {
      requireSight(ground)
      return null
    },
    // KubeVirt cannot start a guest from the memory of another one.
    reserve: null,

    putNetwork: networks.putNetwork,
    networkAddresses: networks.networkAddresses,
    listProjects: projects.listProjects,
    deleteProject: networks.deleteProject,
    ...images,
    async lookAtImage(imageId) {
      const look = await images.lookAtImage(imageId)
      const claim = look.state === 'ready' ? claimOf(imageId) : null
      return claim === null ? look : { ...look, rootBytes: Math.max(options.rootBytes, claim.sizeBytes) }
    },
    ...machines,
    ...makeUsage(ground, usageSource(ground, options.prefix, options.prometheusUrl)),

    dial: lines.dial,
    listeningPorts: async () => null,
    // KubeVirt passes on a few questions to the guest agent, and none about files.
    startScriptResult: async () => ({
      state: 'unknown',
      reason: `Results cannot be read from guests on this cluster. See ${startScriptFiles.output} in the VM.`,
    }),
    hasScreen: (machineId) => lines.hasScreen(machineId),
    openScreen: (machineId) => lines.openScreen(machineId),
    ...consoles,

    ...makeVolumes(ground, { ensureProject, sources }),
    async openDiskFile() {
      throw new EngineError('unsupported', clusterLimits.diskFiles)
    },
    ...makeAttachments(ground),
    async changeKeys() {
      throw new EngineError('unsupported', clusterLimits.changeKeys)
    },
    growMachine: async () => null,
    growVolume: growth.growVolume,
    growRoot: growth.growRoot,
    createMachineSnapshot: snapshots.createMachineSnapshot,
    deleteMachineSnapshot: snapshots.deleteMachineSnapshot,
    createVolumeSnapshot: volumeSnapshots.createVolumeSnapshot,
    deleteVolumeSnapshot: volumeSnapshots.deleteVolumeSnapshot,
    inspectSnapshot,
    // The storage checks what it keeps; the cluster tells what came of it.
    async checkSnapshot(kind, id, { signal }) {
      goOn(signal)
      return inspectSnapshot(kind, id)
    },
    async listSnapshots(kind) {
      return kind === 'machine' ? snapshots.listMachineSnapshots() : volumeSnapshots.listVolumeSnapshots()
    },
    ...makeRestores(ground, snapshots, growth),
    async copyMachine() {
      throw new EngineError('unsupported', clusterLimits.copies)
    },
    async suspendMachine() {
      throw new EngineError('unsupported', clusterLimits.suspend)
    },
    async saveTo() {
      throw new EngineError('unsupported', 'This server cannot back up what is on a cluster.')
    },
  }
}
