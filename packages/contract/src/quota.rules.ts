import { formatMemory, gibibyte, parseDiskSize } from './quantity.ts'

/** What is limited, in the order in which it is checked. Memory is in megabytes. */
export const quotaResources = [
  'vms',
  'processors',
  'memory_mb',
  'disk_bytes',
  'snapshot_bytes',
  'shares',
  'bin_bytes',
] as const
export type QuotaResource = (typeof quotaResources)[number]

export type QuotaAmounts = Record<QuotaResource, number>

/** Null: no limit. */
export type QuotaLimits = Record<QuotaResource, number | null>

/** How API documents name the refusal of a limit. */
export const quotaRefusal = 'A sentence that says which limit of the project or its owner is reached'

/** What is in use of one resource, and how much of it may be. */
export interface QuotaLine {
  used: number
  limit: number | null
}

export type Quota = Record<QuotaResource, QuotaLine>

/** Each project has limits of its own, and all projects of an account have limits together. */
export const quotaScopes = ['project', 'account'] as const
export type QuotaScope = (typeof quotaScopes)[number]

/** Of a project, and of the account that owns it. */
export type ProjectQuota = Record<QuotaScope, Quota>

const owners: Record<QuotaScope, string> = {
  project: 'This project',
  account: 'The account that owns this project',
}

/** Bytes as GB with at most one decimal: `20 GB`, `0.5 GB`. */
export const formatGb = (bytes: number): string => `${Math.round((bytes / gibibyte) * 10) / 10} GB`

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

interface ResourceWords {
  /** How an amount is written: `3`, `2.0 GB`. */
  format: (amount: number) => string
  /** What follows the limit: `VMs`, `of memory`. */
  noun: (limit: number) => string
  /** What gives some of it back. */
  free: string
}

const words: Record<QuotaResource, ResourceWords> = {
  vms: { format: String, noun: (limit) => plural(limit, 'VM', 'VMs'), free: 'Delete VMs' },
  processors: {
    format: String,
    noun: (limit) => plural(limit, 'processor', 'processors'),
    free: 'Delete VMs',
  },
  memory_mb: { format: formatMemory, noun: () => 'of memory', free: 'Delete VMs' },
  disk_bytes: { format: formatGb, noun: () => 'of disk space', free: 'Delete disks' },
  snapshot_bytes: { format: formatGb, noun: () => 'of snapshot space', free: 'Delete snapshots' },
  shares: {
    format: String,
    noun: (limit) => plural(limit, 'shared port', 'shared ports'),
    free: 'Stop sharing a port',
  },
  bin_bytes: { format: formatGb, noun: () => 'in the bin', free: 'Empty the bin' },
}

/** An amount of a resource with its noun: `3 VMs`, `2.0 GB of memory`. */
export const quotaAmount = (resource: QuotaResource, amount: number): string =>
  `${words[resource].format(amount)} ${words[resource].noun(amount)}`

interface LineAsked {
  /** The subject of the sentence, where that is another one. */
  owner?: string
  /** Snapshots that are there: what they take is known. */
  isKnown?: boolean
}

/**
 * Whether a limit leaves enough for what is requested: `true`, or the sentence that names what is used, what is requested and
 * the limit, and what helps. Requesting nothing is always allowed, also where a limit was lowered below what is used. How large a
 * snapshot becomes is not known before it is made: any amount may be requested until the limit is reached.
 */
export function lineAllows(
  scope: QuotaScope,
  resource: QuotaResource,
  { used, limit }: QuotaLine,
  requested: number,
  { owner = owners[scope], isKnown = false }: LineAsked = {},
): true | string {
  if (limit === null || requested <= 0) return true
  const isSnapshot = resource === 'snapshot_bytes' && !isKnown
  if (isSnapshot ? used < limit : used + requested <= limit) return true
  const { format, noun, free } = words[resource]
  const isMany = format === String && requested !== 1
  const more = isSnapshot
    ? 'another snapshot is requested'
    : `${format(requested)} more ${isMany ? 'are' : 'is'} requested`
  return `${owner} uses ${format(used)} of its ${format(limit)} ${noun(limit)}, and ${more}. ${free}, or ask an administrator for a higher limit.`
}

/** The same for the VMs in the bin of a project that another account takes over. */
export const binVmsAllow = ({ used, limit }: { used: number; limit: number }, more: number): true | string =>
  more === 0 || used + more <= limit
    ? true
    : `Your account has ${used} of at most ${limit} VMs in its bin, and ${more} more would come with the project. Empty the bin of the project, or yours.`

/** The same for all that is requested at once, of the project first; the first sentence where several apply. */
export function quotaAllows(quota: ProjectQuota, requested: Partial<QuotaAmounts>): true | string {
  for (const scope of quotaScopes) {
    for (const resource of quotaResources) {
      const verdict = lineAllows(scope, resource, quota[scope][resource], requested[resource] ?? 0)
      if (verdict !== true) return verdict
    }
  }
  return true
}

/** How much of a resource can be requested still, by the closer of both limits; null: no limit. */
export function quotaLeft(quota: ProjectQuota, resource: QuotaResource): number | null {
  const left = quotaScopes.flatMap((scope) => {
    const { used, limit } = quota[scope][resource]
    return limit === null ? [] : [Math.max(0, limit - used)]
  })
  return left.length === 0 ? null : Math.min(...left)
}

/** So many are as good as no limit: that of the VMs of a project is 5,000 unless it is set. */
const plenty = 1000

/** `Left: 3 VMs, 12 processors and 24.0 GB of memory.`; null where none of them is limited, or there is plenty of all. */
export function quotaLeftText(quota: ProjectQuota, resources: readonly QuotaResource[]): string | null {
  const parts = resources.flatMap((resource) => {
    const left = quotaLeft(quota, resource)
    const isPlenty = left !== null && words[resource].format === String && left >= plenty
    return left === null || isPlenty ? [] : [quotaAmount(resource, left)]
  })
  if (parts.length === 0) return null
  const last = parts.at(-1)
  return `Left: ${parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`}.`
}

/** What so many equal VMs take together. */
export function quotaOfVms(
  count: number,
  vm: { cpu: number; memory_mb: number; disk_bytes?: number },
): Pick<QuotaAmounts, 'vms' | 'processors' | 'memory_mb' | 'disk_bytes'> {
  return {
    vms: count,
    processors: count * vm.cpu,
    memory_mb: count * vm.memory_mb,
    disk_bytes: count * (vm.disk_bytes ?? 0),
  }
}

/** What data disks of these sizes take. Those whose size cannot be read do not count. */
export const bytesOfDisks = (disks: readonly { size: string }[]): number =>
  disks.reduce((sum, { size }) => {
    const gi = parseDiskSize(size)
    return typeof gi === 'number' ? sum + gi * gibibyte : sum
  }, 0)

/**
 * What so many equal VMs take together with the disks that are made for each of them: blank ones, or copies of those of a
 * snapshot.
 */
export const quotaOfVmsWithDisks = (
  count: number,
  vm: {
    cpu: number
    memory_mb: number
    /** Null: as its image makes it, which takes nothing. */
    root_bytes: number | null
    disks: readonly { size: string }[]
  },
) => quotaOfVms(count, { ...vm, disk_bytes: (vm.root_bytes ?? 0) + bytesOfDisks(vm.disks) })

/** What so many copies of a VM take, with copies of these disks: each root disk becomes as large as that of the VM is or will be. */
export const quotaOfCopies = (
  count: number,
  vm: { cpu: number; memory_mb: number; root_disk_gb: number | null; next_root_disk_gb: number | null },
  disks: readonly { size: string }[],
) => {
  const gi = vm.next_root_disk_gb ?? vm.root_disk_gb
  return quotaOfVmsWithDisks(count, { ...vm, root_bytes: gi === null ? null : gi * gibibyte, disks })
}
