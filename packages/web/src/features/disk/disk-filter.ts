import { type Disk, diskCan, diskStateOf, isFailedDisk, isFoundIn } from '@slipway/contract'
import { type ListState, noListState } from '../../shell/list-state.ts'

/** What a disk was made from, as the list says it. */
export const sourceLabels: Record<Disk['source'], string> = {
  blank: 'Blank',
  image: 'Image',
  snapshot: 'Snapshot',
  upload: 'Upload',
}

/** What the list of disks is filtered by, as it stands in the URL. */
export const diskFilterInUrl = {
  search: '',
  status: ['all', 'available', 'attached', 'creating', 'failed'],
  source: ['all', 'blank', 'image', 'snapshot', 'upload'],
} as const

export type DiskFilter = ListState<typeof diskFilterInUrl>
type Filter = Readonly<Record<keyof DiskFilter, string>>

export const noFilter: DiskFilter = noListState(diskFilterInUrl)

export function isActive({ search, status, source }: Filter): boolean {
  return search.trim() !== '' || status !== 'all' || source !== 'all'
}

type Filtered = Pick<Disk, 'name' | 'status' | 'source' | 'vm_id' | 'vm_name'>

/** Whether a disk matches: every word of the search occurs in its name, its source or its VM. */
export function matchesDisk(disk: Filtered, { search, status, source }: Filter): boolean {
  if (source !== 'all' && disk.source !== source) return false
  if (status === 'failed' ? !isFailedDisk(disk) : status !== 'all' && diskStateOf(disk) !== status)
    return false
  return isFoundIn(search, disk.name, disk.source, disk.vm_id, disk.vm_name)
}

/** Counts by status. Disks that are being deleted are in the total only. */
export function summarizeDisks(disks: readonly Pick<Disk, 'status' | 'vm_id'>[]) {
  const count = (state: string) => disks.filter((disk) => diskStateOf(disk) === state).length
  return {
    total: disks.length,
    available: count('available'),
    attached: count('attached'),
    creating: count('creating'),
    failed: disks.filter(isFailedDisk).length,
  }
}

/** Whether a disk can be attached to a VM now. */
export const isAttachable = (disk: Disk): boolean => diskCan.attach(disk) === true
