/** Which features of KubeVirt are switched on, and what is not possible where one is not. */
import type { KubeObject } from './kube/objects.ts'

/** The installation of KubeVirt, as its operator has it. */
export interface KubeVirt extends KubeObject {
  spec?: {
    configuration?: { developerConfiguration?: { featureGates?: string[]; disabledFeatureGates?: string[] } }
  }
  status?: {
    phase?: string
    observedKubeVirtVersion?: string
    conditions?: { type: string; status: string; message?: string }[]
  }
}

type Installation = Pick<KubeVirt, 'spec' | 'status'>

/** What Slipway needs, by the gate that switches it off. */
export const neededGates = [
  { gate: 'Snapshot', for: 'snapshot of VMs' },
  { gate: 'DeclarativeHotplugVolumes', for: 'attaching of disks to running VMs' },
  { gate: 'RebootPolicy', for: 'reset of the root disk when a VM without persistent storage reboots' },
] as const

/** The old gate of hot-plug: where it is named, KubeVirt plugs nothing because the spec of a VM says so. */
export const oldHotPlug = 'HotplugVolumes'

/** All of them are Beta since then, and on unless they are disabled by name; before, off unless they are named. */
const betaSince = 'v1.9'

/** How a gate is switched on that is off. */
export const howToOpen = (of: Installation): string =>
  isOlder(versionOf(of), betaSince) ? 'add it to featureGates' : 'remove it from disabledFeatureGates'

const versionOf = ({ status }: Installation): string => status?.observedKubeVirtVersion ?? ''
const listsOf = ({ spec }: Installation) => spec?.configuration?.developerConfiguration ?? {}

export const isNamed = (of: Installation, gate: string): boolean =>
  listsOf(of).featureGates?.includes(gate) ?? false

export function hasGate(of: Installation, gate: (typeof neededGates)[number]['gate']): boolean {
  if (isNamed(of, gate)) return true
  return !isOlder(versionOf(of), betaSince) && !listsOf(of).disabledFeatureGates?.includes(gate)
}

/** Whether disks are plugged into a living guest, and out of it, because the spec of its VM says so. */
export const plugsDisks = (of: Installation): boolean =>
  hasGate(of, 'DeclarativeHotplugVolumes') && !isNamed(of, oldHotPlug)

/** Whether a version such as `v1.9.0` comes before another, by its first two numbers; false when it cannot be told. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => /^v?(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number)
  const [a, b] = [numbers(version), numbers(than)]
  if (!a || !b) return false
  const [major = 0, minor = 0] = a
  const [thanMajor = 0, thanMinor = 0] = b
  return major < thanMajor || (major === thanMajor && minor < thanMinor)
}

/** A copy with what is asked about here. */
export function trimmedKubeVirt(of: KubeVirt): KubeVirt {
  const { name, namespace } = of.metadata
  const { featureGates = [], disabledFeatureGates = [] } = listsOf(of)
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: { configuration: { developerConfiguration: { featureGates, disabledFeatureGates } } },
    status: { observedKubeVirtVersion: versionOf(of) },
  }
}
