import type { Activity, ActivityObject } from '@slipway/contract'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { useProjects } from '../../api/projects.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'

type Linked = Pick<Activity, 'object'>

/**
 * Where the objects of some entries are: a path, or null for what is gone or has no place of its own. Only lists that
 * are needed for it are asked for. Without a project the entries are those of an account.
 */
export function useObjectLinks(
  entries: readonly Linked[],
  projectId?: string,
): (entry: Linked) => string | null {
  const where = (type: ActivityObject) =>
    entries.some(({ object }) => object.type === type) ? projectId : undefined
  const { vms } = useVms(where('vm'))
  const { pools } = useVmPools(where('vm_pool'))
  const { sets } = useVmSets(where('vm_set'))
  const { disks } = useDisks(where('disk'))
  const { snapshots } = useVmSnapshots(where('vm_snapshot'))
  const { snapshots: diskSnapshots } = useDiskSnapshots(where('disk_snapshot'))
  const { projects } = useProjects()

  return ({ object: { type, id } }) => {
    const isIn = (list: readonly { id: string }[]) => list.some((item) => item.id === id)
    if (type === 'ssh_key') return paths.sshKeys
    if (type === 'template') return paths.templates
    if (type === 'project') return id !== projectId && isIn(projects) ? paths.vms(id) : null
    if (projectId === undefined) return null
    switch (type) {
      case 'vm':
        return isIn(vms) ? paths.vm(projectId, id) : null
      case 'vm_pool':
        return isIn(pools) ? paths.vmPool(projectId, id) : null
      case 'vm_set':
        return isIn(sets) ? paths.vmSet(projectId, id) : null
      case 'disk':
        return isIn(disks) ? paths.disk(projectId, id) : null
      case 'vm_snapshot':
        return isIn(snapshots) ? paths.snapshot(projectId, id) : null
      case 'disk_snapshot':
        return isIn(diskSnapshots) ? paths.diskSnapshot(projectId, id) : null
      default:
        return null
    }
  }
}
