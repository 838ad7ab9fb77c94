/** The form that changes a VM. */
import { formatCpu, formatMemory, tagsIn, tidyNote, tooSmall, type Vm, VmUpdate } from '@slipway/contract'
import { parseRootDisk } from './root-disk.ts'

/** What the root disk of a VM has, or is being enlarged to, as text; empty: as its template makes it. */
const rootDiskOf = ({ next_root_disk_gb, root_disk_gb }: Vm): string =>
  `${next_root_disk_gb ?? root_disk_gb ?? ''}`

/** What the fields show of a VM: the size that it is to have. */
export const fieldsOf = (vm: Vm) => ({
  name: vm.name,
  ssh_key_id: vm.ssh_key_id,
  cpu: vm.next_cpu ?? vm.cpu,
  memory_mb: vm.next_memory_mb ?? vm.memory_mb,
  rootDisk: rootDiskOf(vm),
  tags: vm.tags.join(', '),
  note: vm.note,
  persistent: vm.persistent,
  delete_protection: vm.delete_protection,
})
export type VmFields = ReturnType<typeof fieldsOf>

/** What differs from the VM, or the first rule that is broken; null when nothing differs. */
export function changesIn(
  vm: Vm,
  form: VmFields,
): { body: VmUpdate } | { broken: string | undefined } | null {
  const has = fieldsOf(vm)
  const tags = tagsIn(form.tags)
  const note = tidyNote(form.note)
  // Emptied, it stays as it is.
  const rootDisk = form.rootDisk.trim() || has.rootDisk
  const body: VmUpdate = {
    ...(form.name.trim() !== has.name && { name: form.name }),
    ...(form.ssh_key_id !== has.ssh_key_id && { ssh_key_id: form.ssh_key_id }),
    ...(form.cpu !== has.cpu && { cpu: form.cpu }),
    ...(form.memory_mb !== has.memory_mb && { memory_mb: form.memory_mb }),
    ...(rootDisk !== has.rootDisk && { root_disk_gb: parseRootDisk(rootDisk) }),
    ...(tags.join() !== vm.tags.join() && { tags }),
    ...(note !== has.note && { note }),
    ...(form.persistent !== has.persistent && { persistent: form.persistent }),
    ...(form.delete_protection !== has.delete_protection && { delete_protection: form.delete_protection }),
  }
  if (Object.keys(body).length === 0) return null
  const parsed = VmUpdate.safeParse(body)
  if (!parsed.success) return { broken: parsed.error.issues[0]?.message }
  const { root_disk_gb } = vm
  const isSmaller = root_disk_gb !== null && (body.root_disk_gb ?? root_disk_gb) < root_disk_gb
  return isSmaller ? { broken: tooSmall(`${root_disk_gb}Gi`) } : { body }
}

/** What a VM is to have and does not have yet, in words: `4 CPUs and 2 GB of memory`; null when that is what it has. */
export function nextSizeText({ next_cpu, next_memory_mb }: Vm): string | null {
  const parts = [
    ...(next_cpu === null ? [] : [formatCpu(next_cpu)]),
    ...(next_memory_mb === null ? [] : [`${formatMemory(next_memory_mb)} of memory`]),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}

const keyTexts: Record<NonNullable<Vm['ssh_key_due']>, string> = {
  soon: 'Its guest is getting the SSH key.',
  next_start: 'Its guest gets the SSH key at its next start.',
  by_hand: 'Its guest cannot be given the SSH key.',
}

/** What is said when a VM was changed: what holds only later as well. */
export function changedText(vm: Vm): string {
  const size = vm.status === 'stopped' ? null : nextSizeText(vm)
  const later = [
    ...(size === null ? [] : [`It gets ${size} ${vm.size_due === 'soon' ? 'soon' : 'at its next start'}.`]),
    ...(vm.next_root_disk_gb === null
      ? []
      : [`Its root disk is being enlarged to ${vm.next_root_disk_gb}Gi.`]),
    ...(vm.ssh_key_due === null ? [] : [keyTexts[vm.ssh_key_due]]),
  ]
  const done = `VM "${vm.name}" was changed`
  return later.length === 0 ? done : `${done}. ${later.join(' ')}`
}
