import { isComing, isFoundIn, type Vm } from '@slipway/contract'
import { type ListState, noListState } from '../../shell/list-state.ts'

/** What the list of VMs is filtered by, as it stands in the URL. `tag` is one whole tag. */
export const vmFilterInUrl = {
  search: '',
  status: ['all', 'running', 'suspended', 'stopped', 'provisioning', 'failed'],
  tag: '',
} as const

export type VmFilter = ListState<typeof vmFilterInUrl>

export const noFilter: VmFilter = noListState(vmFilterInUrl)

export const isActive = ({ search, status, tag }: VmFilter): boolean =>
  search.trim() !== '' || status !== 'all' || tag !== ''

type Filtered = Pick<
  Vm,
  'name' | 'template_name' | 'ssh_key_name' | 'ip_address' | 'status' | 'tags' | 'note'
>

function hasStatus(vm: Filtered, wanted: VmFilter['status']): boolean {
  switch (wanted) {
    case 'all':
      return true
    case 'provisioning':
      return isComing(vm)
    case 'failed':
      return vm.status === 'failed' || vm.status === 'error'
    default:
      return vm.status === wanted
  }
}

/** Whether a VM is meant: its status and tag fit, and every word of the search occurs in what is shown of it. */
export function matchesVm(vm: Filtered, { search, status, tag }: VmFilter): boolean {
  const { name, template_name, ssh_key_name, ip_address, tags, note } = vm
  return (
    hasStatus(vm, status) &&
    (tag === '' || tags.includes(tag)) &&
    isFoundIn(search, name, template_name, ssh_key_name, ip_address, vm.status, ...tags, note)
  )
}

/** The tags of all these VMs in the order of the alphabet, each once; `chosen` is among them even if no VM has it any more. */
export function tagsOf(vms: readonly Pick<Vm, 'tags'>[], chosen: string): string[] {
  const tags = new Set(vms.flatMap((vm) => vm.tags))
  if (chosen !== '') tags.add(chosen)
  return [...tags].sort((a, b) => a.localeCompare(b))
}
