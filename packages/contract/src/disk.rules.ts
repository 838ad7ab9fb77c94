import { type Limits, unlessLimited } from './host.rules.ts'
import { parseDiskSize } from './quantity.ts'

export const diskTexts = {
  nameMissing: 'Please enter a disk name',
  sizeMissing: 'Please enter a disk size',
  sourceInvalid: 'Invalid disk source',
  imageUrlMissing: 'Please enter an image URL',
  imageUrlInvalid: 'The image URL must start with http:// or https://',
  snapshotMissing: 'Please enter a disk snapshot name',
  containerImageMissing: 'Please enter a container image',
  projectMissing: 'No project selected',
  vmMissing: 'Please select a VM',
  attached: 'Disk is attached to a VM. Detach it first.',
  beingCreated: 'Disk is being created. Please try again later.',
  beingSnapshotted: 'A snapshot of this disk is being created. Please try again later.',
  beingDetached: 'Disk is being detached. Please try again later.',
  downloadAttached:
    'Disk is attached to a VM. Detach it first, or create a snapshot of it and download the snapshot.',
  manyDownloads: 'You have too many downloads at the moment. Wait for one of them to finish.',
  notAttached: 'Disk is not attached to a VM',
  notReleased: 'The VM did not release the disk. Stop the VM and try again.',
  vmNotReady: 'VM must be running or stopped',
  nothing: 'Name at least one thing to change: name, description or size',
  notGrowable: 'Disk must be available or attached to be changed in size',
} as const

/** The words the server sends. `ready` and `bound` are understood as well, see `diskStateOf`. */
export const diskStatuses = ['creating', 'available', 'attached', 'deleting', 'failed', 'error'] as const

/** What a new disk is made from, on the wire, with its name for people. */
export const diskSources = {
  EMPTY: 'Blank Disk',
  HTTP: 'From Image',
  SNAPSHOT: 'From Snapshot',
  REGISTRY: 'From Container Registry',
} as const
export type DiskSource = keyof typeof diskSources

/** How many data disks a VM takes. */
export const disksPerVm = 15

type DiskLike = { status: string; vm_id: string | null }

/**
 * What a disk is, whoever names it: in lower case, with `ready` and `bound` read by whether a VM has it (catalogue
 * G-055). Words nobody knows are kept.
 */
export function diskStateOf({ status, vm_id }: DiskLike): string {
  const word = status.toLowerCase()
  if (word !== 'ready' && word !== 'bound') return word
  return vm_id === null ? 'available' : 'attached'
}

/** Whether the status will change by itself. */
export const isDiskUnderWay = ({ status }: { status: string }): boolean =>
  ['creating', 'deleting'].includes(status.toLowerCase())

/** Whether the creation failed or the disk broke later; the statistics and the filter count both. */
export const isFailedDisk = (disk: DiskLike): boolean => ['failed', 'error'].includes(diskStateOf(disk))

/**
 * What may be done to a disk now: `true`, or the sentence that says why not (state machine SM-7). Whether its VM or a
 * snapshot under way stands against it, only the server knows.
 */
export const diskCan = {
  delete: (disk: DiskLike): true | string => {
    if (diskStateOf(disk) === 'creating') return diskTexts.beingCreated
    return diskStateOf(disk) === 'attached' || disk.vm_id !== null ? diskTexts.attached : true
  },
  /** A broken disk that is still on a VM can be taken off it, too. */
  detach: (disk: DiskLike): true | string => disk.vm_id !== null || diskTexts.notAttached,
  attach: (disk: DiskLike & { name: string }): true | string =>
    diskStateOf(disk) === 'available' || `Disk "${disk.name}" is not available`,
  download: (disk: DiskLike & { name: string }): true | string =>
    disk.vm_id !== null || diskStateOf(disk) === 'attached'
      ? diskTexts.downloadAttached
      : diskCan.attach(disk),
  createVm: (disk: DiskLike & { name: string }): true | string => diskCan.attach(disk),
  grow: (disk: DiskLike): true | string =>
    ['available', 'attached'].includes(diskStateOf(disk)) || diskTexts.notGrowable,
  snapshot: (disk: DiskLike): true | string =>
    ['available', 'attached'].includes(diskStateOf(disk)) ||
    'Disk must be available or attached to create a snapshot',
}

/** Disks are deleted only within a selected project, whatever their state. */
export const canDeleteDiskIn = (project: object | null): true | string =>
  project !== null || diskTexts.projectMissing

/** Why a disk cannot have a size: "Disks can only be enlarged. Enter at least 10Gi." */
export const tooSmall = (size: string): string => `Disks can only be enlarged. Enter at least ${size}.`

/** In which statuses of its VM a disk can be put on it, taken off it, and made larger. */
export const diskAllowedBy = {
  attach: (vm: { status: string }): true | string =>
    ['running', 'stopped'].includes(vm.status.toLowerCase()) || diskTexts.vmNotReady,
  detach: (vm: { status: string }): true | string =>
    ['running', 'stopped', 'failed', 'error'].includes(vm.status.toLowerCase()) ||
    `Disk cannot be detached while its VM is ${vm.status.toLowerCase()}`,
  /** The memory of a suspended guest knows the disk as it was. */
  grow: (vm: { status: string }): true | string => diskAllowedBy.attach(vm),
}

/** Statuses of a VM without a guest; what is changed about its disks takes effect at its next start. */
const withoutGuest: readonly string[] = ['stopped', 'failed', 'error']

/** Whether a disk can be put on a VM or taken off it as far as its guest goes, which may be running. */
export const hotPlugAllowed = (vm: { status: string }, cannot: Pick<Limits, 'hot_plug'>): true | string =>
  withoutGuest.includes(vm.status.toLowerCase()) || unlessLimited(cannot.hot_plug)

const thresholds = [
  [1024 ** 3, 'Gi'],
  [1024 ** 2, 'Mi'],
  [1024, 'Ki'],
] as const

/**
 * A size as cards show it: `10Gi`, `512Mi`. Text with a unit stays as it is; plain numbers are Gi below 1024 and bytes
 * from there, rounded to Gi, Mi or Ki (catalogue G-059).
 */
export function formatDiskSize(size: string | number): string {
  const text = String(size).trim()
  const number = Number(text)
  if (text === '' || !Number.isFinite(number)) return text
  if (number < 1024) return `${number}Gi`
  const [bytes, unit] = thresholds.find(([from]) => number >= from) ?? thresholds[2]
  return `${Math.round(number / bytes)}${unit}`
}

/** `size_gb` of a new disk from a snapshot of that size; 10 when it is missing or cannot be read. */
export function sizeGbOf(size: string | number | null | undefined): number {
  const gi = parseDiskSize(String(size ?? ''), Number.POSITIVE_INFINITY)
  return typeof gi === 'number' ? gi : 10
}
