/** What the engine of an installation cannot do of a plan: without this the server would refuse it halfway. */
import type { ProjectFile } from '@slipway/contract'
import { diskSnapshotTypeAllowed } from '@slipway/contract/disk-snapshot.rules.ts'
import { unlessLimited } from '@slipway/contract/host.rules.ts'
import { suspendAllowed } from '@slipway/contract/vm.rules.ts'
import { vmSnapshotTypeAllowed } from '@slipway/contract/vm-snapshot.rules.ts'
import type { Thing } from './calls.ts'
import type { Seen } from './seen.ts'

interface Made {
  what: Thing
  name: string
  /** Left out: it is new. */
  changes?: readonly { field: string }[]
}

/** Why the engine cannot make or change something as the file says, in the sentences of the server. */
export function limitsOf(
  { what, name, changes }: Made,
  file: ProjectFile,
  { cannot, sharing }: Pick<Seen, 'cannot' | 'sharing'>,
): string[] {
  return verdictsOf().filter((verdict) => verdict !== true)

  function verdictsOf(): (true | string)[] {
    switch (what) {
      case 'project':
        // A new project reaches the Internet.
        return changes || file.internet === false ? [unlessLimited(cannot.networks)] : []
      case 'vms': {
        const { suspend_after_minutes = null, share_ports = [] } = file.vms[name] ?? {}
        const suspends = suspend_after_minutes !== null
        return [
          ...((!changes || isChanged('suspend_after_minutes')) && suspends ? [suspendAllowed(cannot)] : []),
          ...(!changes && share_ports.length > 0 ? [unlessLimited(sharing.http)] : []),
          ...(isChanged('ssh_key') ? [unlessLimited(cannot.change_keys)] : []),
          ...(isChanged('root_disk_gb') ? [unlessLimited(cannot.grow_root_disks)] : []),
        ]
      }
      case 'vm_schedules': {
        const { snapshot_schedule } = file.vms[name] ?? {}
        return snapshot_schedule ? [vmSnapshotTypeAllowed(snapshot_schedule.snapshot_type, cannot)] : []
      }
      case 'disk_schedules': {
        const { snapshot_schedule } = file.disks[name] ?? {}
        return snapshot_schedule ? [diskSnapshotTypeAllowed(snapshot_schedule.snapshot_type, cannot)] : []
      }
      default:
        return []
    }
  }

  function isChanged(field: string): boolean {
    return changes?.some((change) => change.field === field) ?? false
  }
}
