import { isFoundIn, type Vm } from '@slipway/contract'

/** Whether a VM is meant by a search: every word of it occurs somewhere in what the card shows. */
export function matchesVm(
  vm: Pick<Vm, 'name' | 'template_name' | 'ssh_key_name' | 'ip_address' | 'status'>,
  search: string,
): boolean {
  return isFoundIn(search, vm.name, vm.template_name, vm.ssh_key_name, vm.ip_address, vm.status)
}
