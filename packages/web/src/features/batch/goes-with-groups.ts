import type { Disk, Vm } from '@slipway/contract'
import { useDisks } from '../../api/disks.ts'
import { useVms } from '../../api/vms.ts'
import type { Along } from './goes-along.ts'

const count = (n: number, noun: string): string => `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`

/** How many VMs go with so many pools or sets, and how many disks with those, in a sentence. */
export function countsText(
  groups: number,
  vms: readonly Pick<Vm, 'id'>[],
  disks: readonly Pick<Disk, 'vm_id' | 'deleted_with_vm'>[],
): string {
  const ids = new Set(vms.map(({ id }) => id))
  const along = disks.filter((disk) => disk.deleted_with_vm && disk.vm_id !== null && ids.has(disk.vm_id))
  const [have, them] = groups === 1 ? ['it has', 'it'] : ['they have', 'them']
  return `Now ${have} ${count(ids.size, 'VM')} and ${count(along.length, 'disk')} that will be deleted with ${them}.`
}

/** What is deleted with several pools or sets, as the server says. */
export function useGoesWithGroups(projectId: string, groups: readonly { id: string }[]): Along {
  const { vms, ...ofVms } = useVms(projectId)
  const { disks, ...ofDisks } = useDisks(projectId)
  if (ofVms.loading || ofDisks.loading) return { text: 'Counting their VMs and disks...', isKnown: false }
  if (ofVms.error || ofDisks.error)
    return {
      text: 'Their VMs and disks could not be counted. Close this dialog and try again.',
      isKnown: false,
    }
  const ids = new Set(groups.map(({ id }) => id))
  const members = vms.filter(({ vmpool_id, vmset_id }) => ids.has(vmpool_id ?? vmset_id ?? ''))
  return { text: countsText(groups.length, members, disks), isKnown: true }
}
