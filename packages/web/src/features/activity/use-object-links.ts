import type { Activity, ActivityObject } from '@slipway/contract'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { useProjects } from '../../api/projects.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { objectPaths, paths } from '../../paths.ts'

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
    if (type === 'ssh_key') return paths.sshKeys
    if (type === 'account' || type === 'api_token' || type === 'passkey') return paths.account
    if (type === 'template') return paths.templates
    if (type === 'project')
      return id !== projectId && projects.some((project) => project.id === id) ? paths.vms(id) : null
    if (projectId === undefined || type === 'share') return null
    if (type === 'batch') return paths.batch(projectId, id)
    if (type === 'webhook') return paths.webhooks(projectId)
    const listed = {
      vm: vms,
      vm_pool: pools,
      vm_set: sets,
      disk: disks,
      vm_snapshot: snapshots,
      disk_snapshot: diskSnapshots,
    }
    return listed[type].some((item) => item.id === id) ? objectPaths[type](projectId, id) : null
  }
}
