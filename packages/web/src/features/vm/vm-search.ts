import { isFoundIn, type Vm } from '@slipway/contract'

/** Whether a VM is meant by a search: every word of it occurs somewhere in what is shown of it. */
export function matchesVm(
  vm: Pick<Vm, 'name' | 'template_name' | 'ssh_key_name' | 'ip_address' | 'status' | 'tags' | 'note'>,
  search: string,
): boolean {
  const { name, template_name, ssh_key_name, ip_address, status, tags, note } = vm
  return isFoundIn(search, name, template_name, ssh_key_name, ip_address, status, ...tags, note)
}
