import type { Vm } from '@slipway/contract'

/** Whether a VM is meant by a search: every word of it occurs somewhere in what the card shows. */
export function matchesVm(
  vm: Pick<Vm, 'name' | 'template_name' | 'ssh_key_name' | 'ip_address' | 'status'>,
  search: string,
): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const text =
    `${vm.name}\n${vm.template_name}\n${vm.ssh_key_name}\n${vm.ip_address ?? ''}\n${vm.status}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
