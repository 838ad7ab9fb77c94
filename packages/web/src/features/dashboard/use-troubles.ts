import { isFailedDisk, type Vm } from '@slipway/contract'
import { useDisks } from '../../api/disks.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'
import { needsAttention } from './dashboard-lists.ts'

/** An object that waits for somebody to do something. */
export interface Trouble {
  id: string
  name: string
  status: string
  to: string
  /** What is wrong, and why. */
  text: string
}

function troubleOf(
  { id, name, status, status_message }: Omit<Trouble, 'to' | 'text'> & { status_message: string | null },
  kind: string,
  to: string,
): Trouble {
  return { id, name, status, to, text: `${kind} ${status}. ${status_message ?? ''}` }
}

const isBroken = ({ status }: { status: string }) => status.toLowerCase() === 'error'

/** Whatever of a project failed or is in error. */
export function useTroubles(projectId: string, vms: readonly Vm[]): Trouble[] {
  const { pools } = useVmPools(projectId)
  const { sets } = useVmSets(projectId)
  const { disks } = useDisks(projectId)
  return [
    ...needsAttention(vms).map((vm) => troubleOf(vm, 'VM', paths.vm(projectId, vm.id))),
    ...pools.filter(isBroken).map((pool) => troubleOf(pool, 'VM pool', paths.vmPool(projectId, pool.id))),
    ...sets.filter(isBroken).map((set) => troubleOf(set, 'VM set', paths.vmSet(projectId, set.id))),
    ...disks.filter(isFailedDisk).map((disk) => troubleOf(disk, 'Disk', paths.disk(projectId, disk.id))),
  ]
}
