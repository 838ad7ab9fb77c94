import type { BinProject } from '@slipway/contract'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

const count = (n: number, noun: string): string[] => (n === 0 ? [] : [`${n} ${noun}${n === 1 ? '' : 's'}`])

/** What a project in the bin has: `30 VMs, 1 VM pool, and 2 disks`. Null when it is empty. */
export function contentsOf(project: BinProject): string | null {
  const parts = [
    ...count(project.vms, 'VM'),
    ...count(project.vm_pools, 'VM pool'),
    ...count(project.vm_sets, 'VM set'),
    ...count(project.disks, 'disk'),
    ...count(project.snapshots, 'snapshot'),
    ...(project.bin_items === 0
      ? []
      : [`${project.bin_items} ${project.bin_items === 1 ? 'object' : 'objects'} in its own bin`]),
  ]
  return parts.length === 0 ? null : list.format(parts)
}

/** The line of a project in the bin: what it has, and what runs again. */
export function projectNote(project: BinProject): string {
  const contents = contentsOf(project)
  const running = project.running_vms
  return [
    contents === null ? 'It is empty.' : `It contains ${contents}.`,
    running > 0 && `${running === 1 ? '1 VM runs' : `${running} VMs run`} again once it is restored.`,
  ]
    .filter(Boolean)
    .join(' ')
}
