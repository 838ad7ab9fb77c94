/** The Pod Security standard "restricted", written out, since not every cluster for tests judges pods. */

interface Context {
  runAsNonRoot?: boolean
  runAsUser?: number
  privileged?: boolean
  allowPrivilegeEscalation?: boolean
  seccompProfile?: { type?: string }
  capabilities?: { drop?: string[]; add?: string[] }
  procMount?: string
  seLinuxOptions?: { type?: string; user?: string; role?: string }
  appArmorProfile?: { type?: string }
  sysctls?: object[]
}

interface JudgedContainer {
  name?: string
  securityContext?: Context
  ports?: { hostPort?: number }[]
}

interface JudgedPod {
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  securityContext?: Context
  volumes?: object[]
  containers?: JudgedContainer[]
  initContainers?: JudgedContainer[]
}

const volumeKinds = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/** What a pod does that the standard forbids; empty when it may run. Stricter in one thing: no sysctl at all. */
export function brokenRules(pod: JudgedPod | object): string[] {
  const judged: JudgedPod = pod
  const { securityContext: ofPod = {}, volumes = [], containers = [], initContainers = [] } = judged
  const rules: [string, boolean][] = [
    ['shares nothing with the host', !judged.hostNetwork && !judged.hostPID && !judged.hostIPC],
    ['sets no sysctls', (ofPod.sysctls ?? []).length === 0],
    ['has volumes of harmless kinds', volumes.every(isHarmless)],
    ...[...containers, ...initContainers].flatMap((one) => ofContainer(one, ofPod)),
  ]
  return rules.filter(([, kept]) => !kept).map(([rule]) => rule)
}

const isHarmless = (volume: object) =>
  Object.keys(volume).every((key) => key === 'name' || volumeKinds.includes(key))

function ofContainer({ name, securityContext: own = {}, ports = [] }: JudgedContainer, ofPod: Context) {
  const all = { ...ofPod, ...own }
  const { seLinuxOptions: se = {}, capabilities: { drop = [], add = [] } = {} } = all
  const types = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']
  const rules: [string, boolean][] = [
    ['is not privileged', own.privileged !== true],
    ['cannot gain privileges', own.allowPrivilegeEscalation === false],
    ['is not root', all.runAsNonRoot === true && all.runAsUser !== 0 && ofPod.runAsUser !== 0],
    ['has a profile of seccomp', ['RuntimeDefault', 'Localhost'].includes(all.seccompProfile?.type ?? '')],
    ['has no capabilities', drop.includes('ALL') && add.every((one) => one === 'NET_BIND_SERVICE')],
    ['has no ports of the host', ports.every(({ hostPort = 0 }) => hostPort === 0)],
    ['sees a masked /proc', (own.procMount ?? 'Default') === 'Default'],
    ['keeps its SELinux type', types.includes(se.type ?? '') && !se.user && !se.role],
    ['keeps its AppArmor profile', all.appArmorProfile?.type !== 'Unconfined'],
  ]
  return rules.map(([rule, kept]): [string, boolean] => [`${name}: ${rule}`, kept])
}
