import type { Disk, Vm } from '@slipway/contract'

/** How many VMs go with a pool or set, and how many disks with them, in a sentence. */
export function countsText(
  vms: readonly Pick<Vm, 'id'>[],
  disks: readonly Pick<Disk, 'vm_id' | 'deleted_with_vm'>[],
): string {
  const ids = new Set(vms.map(({ id }) => id))
  const along = disks.filter((disk) => disk.deleted_with_vm && disk.vm_id !== null && ids.has(disk.vm_id))
  return `Now it has ${count(ids.size, 'VM')} and ${count(along.length, 'disk')} that will be deleted with it.`
}

const count = (n: number, noun: string): string => `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`
