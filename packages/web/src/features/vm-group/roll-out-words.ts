/** What the page of a pool or set says of the settings of its VMs. */
import { formatCpu, formatMemory, hasOlderVms, type RollOut, type Vm } from '@slipway/contract'

interface Settings {
  cpu: number
  memory_mb: number
  root_disk_gb: number | null
  roll_out: RollOut
}

/** How many VMs have the present settings, and what comes of the others. */
export function settingsText({ cpu, memory_mb, root_disk_gb, roll_out }: Settings): string {
  const { state, renewed_vms, total_vms } = roll_out
  const memory = `${formatMemory(memory_mb)} of memory`
  const size =
    root_disk_gb === null
      ? `${formatCpu(cpu)} and ${memory}`
      : `${formatCpu(cpu)}, ${memory} and a root disk of ${root_disk_gb}Gi`
  if (state === 'none' && !hasOlderVms({ roll_out }))
    return `Every VM has the current settings: ${size}, with the template and SSH key above.`
  const count = `${renewed_vms} of ${total_vms} VMs ${renewed_vms === 1 ? 'has' : 'have'} the new settings (${size}).`
  if (state === 'running') return `${count} The others are replaced one by one.`
  if (state === 'paused') return `${count} The others keep running until you continue the roll-out.`
  return `${count} The others keep older settings until you roll out again.`
}

/** The names of the VMs by the settings that they were made of, newest first; none where all have the same. */
export function byRevision(
  { revision: newest }: Pick<RollOut, 'revision'>,
  vms: readonly Pick<Vm, 'id' | 'name'>[],
  revisions: readonly { vm_id: string; revision: number }[],
): { revision: number; names: string[] }[] {
  const known = new Map(revisions.map(({ vm_id, revision }) => [vm_id, revision]))
  // One that came after the page was loaded was made of the newest.
  const groups = Map.groupBy(vms, ({ id }) => known.get(id) ?? newest)
  if (groups.size < 2) return []
  return [...groups]
    .sort(([a], [b]) => b - a)
    .map(([revision, of]) => ({ revision, names: of.map(({ name }) => name) }))
}
