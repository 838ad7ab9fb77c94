/**
 * What the engine may do in a cluster, and nothing more: the chart grants just this (a test compares), and
 * `npm run doctor` asks the cluster for each.
 */

/** `resource` may name a part of it, as in `virtualmachines/start`. */
export interface Right {
  group: string
  resources: readonly string[]
  verbs: readonly string[]
  /** Left out: in all namespaces, since those of projects come and go. */
  only?: 'images'
  /** What does not work without it. */
  for: string
}

const read = ['get', 'list', 'watch'] as const
const keep = [...read, 'create', 'patch', 'delete'] as const

export const rights: readonly Right[] = [
  { group: '', resources: ['namespaces', 'persistentvolumeclaims'], verbs: keep, for: 'projects and disks' },
  { group: '', resources: ['resourcequotas'], verbs: ['get', 'create', 'patch', 'delete'], for: 'projects' },
  // Seeds of VMs. Whoever may change a secret is answered with all of it.
  { group: '', resources: ['secrets'], verbs: ['create', 'delete'], for: 'creating VMs' },
  { group: '', resources: ['events'], verbs: read, for: 'the reasons that VMs show' },
  { group: 'networking.k8s.io', resources: ['networkpolicies'], verbs: keep, for: 'keeping projects apart' },
  { group: '', resources: ['services'], verbs: keep, for: 'names of VMs in their project' },
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: keep,
    for: 'names of VMs in their project',
  },
  { group: 'storage.k8s.io', resources: ['storageclasses'], verbs: read, for: 'disks and their snapshots' },
  {
    group: 'kubevirt.io',
    resources: ['kubevirts'],
    verbs: read,
    for: 'lines to VMs, and what KubeVirt can do',
  },
  { group: 'kubevirt.io', resources: ['virtualmachines'], verbs: [...keep, 'update'], for: 'VMs' },
  // A start that waits for a disk or for room is called off there.
  { group: 'kubevirt.io', resources: ['virtualmachines/status'], verbs: ['patch'], for: 'stopping VMs' },
  { group: 'kubevirt.io', resources: ['virtualmachineinstances'], verbs: read, for: 'VMs' },
  {
    group: 'subresources.kubevirt.io',
    resources: [
      'virtualmachineinstances/console',
      'virtualmachineinstances/guestosinfo',
      'virtualmachineinstances/portforward',
      'virtualmachineinstances/vnc',
    ],
    verbs: ['get'],
    for: 'consoles, screens and SSH by name',
  },
  {
    group: 'subresources.kubevirt.io',
    resources: ['virtualmachineinstances/freeze', 'virtualmachineinstances/unfreeze'],
    verbs: ['update'],
    for: 'disk snapshots whose file systems are whole',
  },
  {
    group: 'subresources.kubevirt.io',
    resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
    verbs: ['update'],
    for: 'starting and stopping VMs',
  },
  {
    group: 'snapshot.kubevirt.io',
    resources: ['virtualmachinesnapshots', 'virtualmachinerestores'],
    verbs: keep,
    for: 'VM snapshots',
  },
  {
    group: 'snapshot.kubevirt.io',
    resources: ['virtualmachinesnapshotcontents'],
    verbs: read,
    for: 'VM snapshots',
  },
  { group: 'snapshot.storage.k8s.io', resources: ['volumesnapshots'], verbs: keep, for: 'disk snapshots' },
  {
    group: 'snapshot.storage.k8s.io',
    resources: ['volumesnapshotclasses'],
    verbs: read,
    for: 'disk snapshots',
  },
  { group: 'cdi.kubevirt.io', resources: ['cdis'], verbs: ['get', 'list'], for: 'npm run doctor' },
  { group: 'cdi.kubevirt.io', resources: ['datavolumes'], verbs: keep, for: 'disks' },
  { group: 'metrics.k8s.io', resources: ['pods'], verbs: ['get', 'list'], for: 'usage and auto scaling' },
  // Nobody can give away a right that they do not have: projects may clone boot images.
  {
    group: 'cdi.kubevirt.io',
    resources: ['datavolumes/source'],
    verbs: ['create'],
    only: 'images',
    for: 'creating VMs',
  },
  {
    group: 'rbac.authorization.k8s.io',
    resources: ['roles', 'rolebindings'],
    verbs: ['get', 'create', 'patch', 'delete'],
    only: 'images',
    for: 'creating VMs',
  },
]
