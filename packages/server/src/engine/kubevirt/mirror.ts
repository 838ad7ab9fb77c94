/** All that is ours in the cluster, in memory: a reflector for each kind, trimmed to what the engine asks about. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { endpointsText, serviceOfSlice } from './guest-endpoints.ts'
import {
  type DataVolume,
  type EndpointSlice,
  kinds,
  type MachineInstance,
  type MachineRestore,
  type MachineSnapshot,
  type Namespace,
  type NetworkPolicy,
  type Service,
  type StorageClass,
  type VirtualMachine,
  type VolumeSnapshot,
} from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import type { Kind, KubeObject } from './kube/objects.ts'
import { makeReflector, type Reflector } from './kube/reflector.ts'
import { type KubeVirt, trimmedKubeVirt } from './kubevirt-gates.ts'
import { marksOf, type Names } from './names.ts'
import { trimmedClass } from './storage-class.ts'

/** What is kept of every object. */
export interface Mirrored {
  /** Ours, from its label. */
  id: string
  what: string
  projectId: string
  namespace: string
  name: string
  uid: string
  annotations: Readonly<Record<string, string>>
  /** It was told to go, and something still holds it. */
  isGoing: boolean
}

export interface MirroredMachine extends Mirrored {
  runStrategy: string
  subdomain: string | null
  rebootPolicy: string | null
  /** Volumes in the spec, in the order of its disks: name, and the claim behind it where there is one. */
  volumes: readonly { name: string; claim: string | null }[]
  hasScreen: boolean
  status: NonNullable<VirtualMachine['status']> | null
}
export interface MirroredInstance extends Mirrored {
  status: NonNullable<MachineInstance['status']> | null
}
export interface MirroredDataVolume extends Mirrored {
  /** Empty where it is as large as what it was copied from. */
  requested: string
  status: NonNullable<DataVolume['status']> | null
}
export interface MirroredMachineSnapshot extends Mirrored {
  machine: string
  status: NonNullable<MachineSnapshot['status']> | null
}
export interface MirroredRestore extends Mirrored {
  machine: string
  snapshot: string
  status: NonNullable<MachineRestore['status']> | null
}
export interface MirroredVolumeSnapshot extends Mirrored {
  claim: string
  status: NonNullable<VolumeSnapshot['status']> | null
}
export interface MirroredPolicy extends Mirrored {
  spec: NetworkPolicy['spec']
}
export interface MirroredService extends Mirrored {
  /** It stands for its endpoints in DNS, and we say which those are. */
  isHeadless: boolean
}
export interface MirroredEndpointSlice extends Mirrored {
  service: string
  /** Of `endpointsText`. */
  endpoints: string
}

/** Found by our id, in whichever namespace. */
type ById<O extends KubeObject, T> = Reflector<O, T, 'id'>
/** Also by the name of a volume or claim in it. */
type ByVolume<O extends KubeObject, T> = Reflector<O, T, 'id' | 'volume'>

export interface Mirror {
  projects: ById<Namespace, Mirrored>
  policies: ById<NetworkPolicy, MirroredPolicy>
  services: ById<Service, MirroredService>
  endpointSlices: ById<EndpointSlice, MirroredEndpointSlice>
  machines: ByVolume<VirtualMachine, MirroredMachine>
  instances: ByVolume<MachineInstance, MirroredInstance>
  dataVolumes: ById<DataVolume, MirroredDataVolume>
  machineSnapshots: ById<MachineSnapshot, MirroredMachineSnapshot>
  restores: ById<MachineRestore, MirroredRestore>
  volumeSnapshots: ById<VolumeSnapshot, MirroredVolumeSnapshot>
  /** Those of the cluster, which are nobody's. */
  storageClasses: Reflector<StorageClass, StorageClass, never>
  /** The installation of KubeVirt, one. */
  kubevirts: Reflector<KubeVirt, KubeVirt, never>
  /** Resolves when everything has been listed once. */
  synced: Promise<void>
  /** Since when something may be missing here; null while all is up to date. */
  staleSince(): number | null
  close(): Promise<void>
}

/** A copy: what is kept must not hold the object it came with. */
export function mirrored({ metadata }: KubeObject): Mirrored {
  return {
    ...marksOf(metadata.labels),
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    annotations: ourAnnotations(metadata.annotations),
    isGoing: metadata.deletionTimestamp !== undefined,
  }
}

function ourAnnotations(annotations: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => name.startsWith('slipway.org/')))
}

/** Begins to list and watch at once. */
export function makeMirror(options: {
  client: KubeClient
  names: Names
  clock: Clock
  log: Pick<Log, 'warn' | 'error'>
}): Mirror {
  const { client, names, clock, log } = options
  const everybodys = { client, clock, log }
  const common = { ...everybodys, labelSelector: names.selector }
  const reflect = <O extends KubeObject, T extends Mirrored>(kind: Kind<O>, trim: (object: O) => T) =>
    makeReflector<O, T, 'id'>({ ...common, kind, trim, indexes: { id: ({ id }) => [id] } })
  const reflectByVolume = <O extends KubeObject, T extends Mirrored>(
    kind: Kind<O>,
    trim: (object: O) => T,
    volumes: (of: T) => readonly string[],
  ) =>
    makeReflector<O, T, 'id' | 'volume'>({
      ...common,
      kind,
      trim,
      indexes: { id: ({ id }) => [id], volume: volumes },
    })

  const all = {
    projects: reflect(kinds.namespaces, mirrored),
    policies: reflect(kinds.networkPolicies, (object) => ({ ...mirrored(object), spec: object.spec })),
    services: reflect(kinds.services, (object) => ({
      ...mirrored(object),
      isHeadless: object.spec.clusterIP === 'None' && object.spec.selector === undefined,
    })),
    endpointSlices: reflect(kinds.endpointSlices, (object) => ({
      ...mirrored(object),
      service: serviceOfSlice(object.metadata.labels),
      endpoints: endpointsText(object.endpoints),
    })),
    machines: reflectByVolume(
      kinds.machines,
      (object) => ({
        ...mirrored(object),
        runStrategy: object.spec.runStrategy,
        subdomain: object.spec.template.spec.subdomain ?? null,
        rebootPolicy: object.spec.template.spec.domain.rebootPolicy ?? null,
        volumes: (object.spec.template.spec.volumes ?? []).map(
          ({ name, dataVolume, persistentVolumeClaim }) => ({
            name,
            claim: dataVolume?.name ?? persistentVolumeClaim?.claimName ?? null,
          }),
        ),
        hasScreen: object.spec.template.spec.domain.devices.autoattachGraphicsDevice !== false,
        status: object.status ?? null,
      }),
      ({ volumes }) => volumes.flatMap(({ claim }) => claim ?? []),
    ),
    instances: reflectByVolume(
      kinds.instances,
      (object) => ({ ...mirrored(object), status: object.status ?? null }),
      ({ status }) => (status?.volumeStatus ?? []).map(({ name }) => name),
    ),
    dataVolumes: reflect(kinds.dataVolumes, (object) => ({
      ...mirrored(object),
      requested: object.spec.storage.resources?.requests.storage ?? '',
      status: object.status ?? null,
    })),
    machineSnapshots: reflect(kinds.machineSnapshots, (object) => ({
      ...mirrored(object),
      machine: object.spec.source.name,
      status: object.status ?? null,
    })),
    restores: reflect(kinds.machineRestores, (object) => ({
      ...mirrored(object),
      machine: object.spec.target.name,
      snapshot: object.spec.virtualMachineSnapshotName,
      status: object.status ?? null,
    })),
    volumeSnapshots: reflect(kinds.volumeSnapshots, (object) => ({
      ...mirrored(object),
      claim: object.spec.source.persistentVolumeClaimName ?? '',
      status: object.status ?? null,
    })),
    storageClasses: makeReflector<StorageClass, StorageClass, never>({
      ...everybodys,
      kind: kinds.storageClasses,
      trim: trimmedClass,
      indexes: {},
    }),
    kubevirts: makeReflector<KubeVirt, KubeVirt, never>({
      ...everybodys,
      kind: kinds.kubevirts,
      trim: trimmedKubeVirt,
      indexes: {},
    }),
  }
  const reflectors = Object.values(all)

  return {
    ...all,
    synced: Promise.all(reflectors.map(({ synced }) => synced)).then(() => {}),
    staleSince: () =>
      reflectors.reduce<number | null>((oldest, { staleSince }) => {
        const since = staleSince()
        return since === null ? oldest : Math.min(oldest ?? since, since)
      }, null),
    async close() {
      await Promise.all(reflectors.map(({ close }) => close()))
    },
  }
}
