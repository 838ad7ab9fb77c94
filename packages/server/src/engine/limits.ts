/** The sentences of engines about what they can and cannot do. */
import type { Limits } from './engine.ts'

/** Of an engine that can do everything. */
export const noLimits: Limits = {
  memorySnapshots: null,
  suspend: null,
  copies: null,
  hotPlug: null,
  incrementalSnapshots: null,
  screens: null,
  backups: null,
  networks: null,
  ports: null,
  diskFiles: null,
  growDisks: null,
  growRootDisks: null,
  changeKeys: null,
}

/** What a cluster may be unable to do, and what to do instead. */
export const clusterLimits: Record<keyof Limits, string> = {
  memorySnapshots: 'This cluster cannot save memory in a snapshot. Choose disk.',
  suspend: 'This cluster cannot suspend a VM. Stop the VM instead.',
  copies: 'This cluster cannot copy a VM. Create a VM from its template instead.',
  hotPlug:
    'This cluster cannot attach or detach disks while a VM is running. Stop the VM, then change its disks.',
  incrementalSnapshots: 'This cluster cannot save only the changes of a disk. Choose full.',
  screens: 'This cluster cannot show the screen of a VM. Use the serial console or SSH.',
  backups:
    'VMs and disks on a cluster are not part of a backup by Slipway. Back up the database, and the volumes with the tools of the cluster.',
  networks: 'VMs on this cluster do not find each other by name. Use their addresses.',
  ports: 'This cluster leads only to port 22 of a VM. Use an SSH tunnel.',
  diskFiles:
    'Disks cannot be uploaded or downloaded as files here. Create a disk from an image URL, or copy data over SSH.',
  growDisks:
    'This cluster cannot enlarge a data disk. Create a snapshot of it, and a larger disk from the snapshot.',
  growRootDisks:
    'This cluster cannot enlarge the root disk of a VM. Create a VM with a larger root disk, or attach a data disk.',
  changeKeys:
    'This cluster cannot change the SSH key of a VM. Sign in by SSH and edit /root/.ssh/authorized_keys in the VM.',
}

/** Of a machine whose saved memory knows its disks as they are. */
export const memoryKept =
  'The memory of the VM is saved with the disk as it is. The disk is enlarged when the VM runs again.'
