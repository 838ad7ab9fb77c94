/**
 * The kinds of objects the engine writes and reads, with just the fields it uses. Shapes after KubeVirt 1.9, CDI 1.66 and
 * external-snapshotter 8.6.
 */
import type { Kind, KubeObject } from './kube/objects.ts'
import type { KubeVirt } from './kubevirt-gates.ts'

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
}

export interface Namespace extends KubeObject {
  status?: { phase?: 'Active' | 'Terminating' }
}

export interface Secret extends KubeObject {
  type?: string
  data?: Record<string, string>
  stringData?: Record<string, string>
}

export interface ResourceQuota extends KubeObject {
  spec: { hard: Record<string, string> }
}

export interface Role extends KubeObject {
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[]
}

export interface RoleBinding extends KubeObject {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io'; kind: 'Role'; name: string }
  subjects: { apiGroup: 'rbac.authorization.k8s.io'; kind: 'Group'; name: string }[]
}

export interface NetworkPolicy extends KubeObject {
  spec: { podSelector: object; policyTypes: string[]; ingress?: object[]; egress?: object[] }
}

export interface Service extends KubeObject {
  spec: { clusterIP?: string; selector?: Record<string, string>; ports?: object[] }
}

/** Where a Service leads to; its endpoints can have names of their own. */
export interface EndpointSlice extends KubeObject {
  addressType: 'IPv4' | 'IPv6'
  endpoints: { addresses: string[]; hostname?: string; conditions?: { ready?: boolean | null } }[] | null
}

export interface Claim extends KubeObject {
  spec: {
    accessModes?: string[]
    volumeMode?: 'Block' | 'Filesystem'
    storageClassName?: string
    volumeName?: string
    resources?: { requests?: { storage?: string } }
  }
  status?: {
    phase?: 'Pending' | 'Bound' | 'Lost'
    capacity?: { storage?: string }
    /** What the storage was last asked for; newer clusters say so. */
    allocatedResources?: { storage?: string }
    conditions?: Condition[]
  }
}

export type DataVolumeSource =
  | { blank: Record<string, never> }
  | { http: { url: string; checksum?: string } }
  | { registry: { url: string } }
  | { snapshot: { namespace: string; name: string } }
  | { pvc: { namespace: string; name: string } }
  | { upload: Record<string, never> }

export interface DataVolume extends KubeObject {
  spec: {
    source?: DataVolumeSource
    sourceRef?: { kind: 'DataSource'; namespace?: string; name: string }
    /** Without a size a copy is as large as its source. */
    storage: { storageClassName?: string; resources?: { requests: { storage: string } } }
  }
  status?: {
    phase?: string
    /** Such as `42.50%`, or `N/A`. */
    progress?: string
    restartCount?: number
    claimName?: string
    conditions?: Condition[]
  }
}

/** Asked by making it: lets its bearer fill a claim for some minutes. */
export interface UploadTokenRequest extends KubeObject {
  spec: { pvcName: string }
  status?: { token?: string }
}

export interface CdiConfig extends KubeObject {
  /** `uploadProxyURL` has no scheme. */
  status?: { uploadProxyURL?: string; uploadProxyCA?: string }
}

export interface MachineDisk {
  name: string
  bootOrder?: number
  serial?: string
  disk?: { bus?: 'virtio' | 'scsi' | 'sata' }
}

export interface MachineVolume {
  name: string
  dataVolume?: { name: string; hotpluggable?: boolean }
  persistentVolumeClaim?: { claimName: string; hotpluggable?: boolean }
  containerDisk?: { image: string }
  emptyDisk?: { capacity: string }
  /** A disk with the files of a secret, under a label that the guest knows it by. */
  secret?: { secretName: string; volumeLabel: string }
  cloudInitNoCloud?: { secretRef?: { name: string }; networkDataSecretRef?: { name: string } }
}

export interface MachineTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: {
    hostname?: string
    /** A Service in the namespace: guests look names up among those of its endpoints first. */
    subdomain?: string
    evictionStrategy?: string
    terminationGracePeriodSeconds?: number
    domain: {
      cpu?: { cores?: number }
      memory?: { guest?: string }
      firmware?: object
      /** Whether a reboot from inside goes unnoticed, or ends the instance. */
      rebootPolicy?: 'Reboot' | 'Terminate'
      devices: {
        disks: MachineDisk[]
        interfaces?: { name: string; masquerade?: object; model?: string }[]
        rng?: object
        autoattachSerialConsole?: boolean
        autoattachGraphicsDevice?: boolean
      }
      [more: string]: unknown
    }
    networks?: { name: string; pod?: object }[]
    accessCredentials?: object[]
    volumes: MachineVolume[]
  }
}

export interface VirtualMachine extends KubeObject {
  spec: {
    runStrategy: 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once'
    dataVolumeTemplates?: { metadata: KubeObject['metadata']; spec: DataVolume['spec'] }[]
    template: MachineTemplate
  }
  status?: {
    created?: boolean
    ready?: boolean
    printableStatus?: string
    conditions?: Condition[]
    stateChangeRequests?: { action: 'Start' | 'Stop'; uid?: string }[]
    startFailure?: { consecutiveFailCount?: number; retryAfterTimestamp?: string }
    volumeSnapshotStatuses?: { name: string; enabled: boolean; reason?: string }[]
    restoreInProgress?: string
    snapshotInProgress?: string
  }
}

export interface MachineInstance extends KubeObject {
  spec: { terminationGracePeriodSeconds?: number }
  status?: {
    phase?: 'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    reason?: string
    conditions?: Condition[]
    interfaces?: { ipAddress?: string; ipAddresses?: string[]; name?: string }[]
    nodeName?: string
    volumeStatus?: {
      name: string
      phase?: string
      reason?: string
      message?: string
      hotplugVolume?: object
    }[]
    phaseTransitionTimestamps?: { phase: string; phaseTransitionTimestamp: string }[]
  }
}

export interface MachineSnapshot extends KubeObject {
  spec: {
    source: { apiGroup: 'kubevirt.io'; kind: 'VirtualMachine'; name: string }
    deletionPolicy?: 'Delete' | 'Retain'
    failureDeadline?: string
  }
  status?: {
    phase?: 'InProgress' | 'Succeeded' | 'Failed' | 'Deleting' | 'Unknown'
    readyToUse?: boolean
    virtualMachineSnapshotContentName?: string
    /** Such as `Online`, `GuestAgent`, `NoGuestAgent`, `PartialSnapshot`. */
    indications?: string[]
    snapshotVolumes?: { includedVolumes?: string[]; excludedVolumes?: string[] }
    conditions?: Condition[]
    error?: { message?: string; time?: string }
  }
}

export interface MachineSnapshotContent extends KubeObject {
  spec: {
    /** What the machine was at that moment. */
    source?: { virtualMachine?: Pick<VirtualMachine, 'spec'> }
    volumeBackups?: {
      volumeName: string
      volumeSnapshotName?: string
      persistentVolumeClaim: Pick<Claim, 'metadata' | 'spec'>
    }[]
  }
  status?: {
    readyToUse?: boolean
    volumeSnapshotStatus?: {
      volumeSnapshotName: string
      readyToUse?: boolean
      error?: { message?: string }
    }[]
  }
}

export interface MachineRestore extends KubeObject {
  spec: {
    target: { apiGroup: 'kubevirt.io'; kind: 'VirtualMachine'; name: string }
    virtualMachineSnapshotName: string
    /** Under which name a volume comes back, where it is not the one that it had. */
    volumeRestoreOverrides?: { volumeName: string; restoreName?: string }[]
    targetReadinessPolicy?: 'StopTarget' | 'FailImmediate' | 'WaitEventually' | 'WaitGracePeriod'
    volumeRestorePolicy?: 'InPlace' | 'RandomizeNames' | 'PrefixTargetName'
  }
  status?: {
    complete?: boolean
    restores?: { volumeName: string; persistentVolumeClaim?: string }[]
    deletedDataVolumes?: string[]
    conditions?: Condition[]
  }
}

export interface VolumeSnapshot extends KubeObject {
  spec: {
    volumeSnapshotClassName?: string
    source: { persistentVolumeClaimName?: string; volumeSnapshotContentName?: string }
  }
  status?: {
    readyToUse?: boolean
    /** When it was taken: whatever is written later is not in it. */
    creationTime?: string
    restoreSize?: string
    error?: { message?: string; time?: string }
  }
}

export interface StorageClass extends KubeObject {
  provisioner: string
  allowVolumeExpansion?: boolean
}

/** What happened to an object, as people read it. */
export interface ClusterEvent extends KubeObject {
  type?: string
  reason?: string
  message?: string
  involvedObject?: { kind?: string; name?: string }
  /** When it last happened; newer clusters tell only `eventTime` of some. */
  lastTimestamp?: string | null
  eventTime?: string | null
}

export interface VolumeSnapshotClass extends KubeObject {
  driver: string
}

const core = <T extends KubeObject>(plural: string): Kind<T> => ({ group: '', version: 'v1', plural })
const kubevirt = <T extends KubeObject>(plural: string): Kind<T> => ({
  group: 'kubevirt.io',
  version: 'v1',
  plural,
})
const machineSnapshot = <T extends KubeObject>(plural: string): Kind<T> => ({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural,
})
const storageSnapshot = <T extends KubeObject>(plural: string): Kind<T> => ({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  plural,
})

export const kinds = {
  namespaces: core<Namespace>('namespaces'),
  secrets: core<Secret>('secrets'),
  quotas: core<ResourceQuota>('resourcequotas'),
  claims: core<Claim>('persistentvolumeclaims'),
  events: core<ClusterEvent>('events'),
  networkPolicies: {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'networkpolicies',
  } as Kind<NetworkPolicy>,
  services: core<Service>('services'),
  endpointSlices: {
    group: 'discovery.k8s.io',
    version: 'v1',
    plural: 'endpointslices',
  } as Kind<EndpointSlice>,
  roles: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles' } as Kind<Role>,
  roleBindings: {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'rolebindings',
  } as Kind<RoleBinding>,
  storageClasses: { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' } as Kind<StorageClass>,
  /** The installation of KubeVirt itself. */
  kubevirts: kubevirt<KubeVirt>('kubevirts'),
  machines: kubevirt<VirtualMachine>('virtualmachines'),
  instances: kubevirt<MachineInstance>('virtualmachineinstances'),
  dataVolumes: {
    group: 'cdi.kubevirt.io',
    version: 'v1beta1',
    plural: 'datavolumes',
  } as Kind<DataVolume>,
  machineSnapshots: machineSnapshot<MachineSnapshot>('virtualmachinesnapshots'),
  machineSnapshotContents: machineSnapshot<MachineSnapshotContent>('virtualmachinesnapshotcontents'),
  machineRestores: machineSnapshot<MachineRestore>('virtualmachinerestores'),
  volumeSnapshots: storageSnapshot<VolumeSnapshot>('volumesnapshots'),
  volumeSnapshotClasses: storageSnapshot<VolumeSnapshotClass>('volumesnapshotclasses'),
} as const

/** What only an operator needs who uploads boot images: servers have no right to it. */
export const uploadKinds = {
  cdiConfigs: { group: 'cdi.kubevirt.io', version: 'v1beta1', plural: 'cdiconfigs' } as Kind<CdiConfig>,
  uploadTokenRequests: {
    group: 'upload.cdi.kubevirt.io',
    version: 'v1beta1',
    plural: 'uploadtokenrequests',
  } as Kind<UploadTokenRequest>,
} as const
