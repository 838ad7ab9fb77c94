/** In which order the table of VMs has them. */
import { foldForSearch, type Vm } from '@slipway/contract'
import type { ListState } from '../../shell/list-state.ts'

/** Columns of the table that it can be ordered by; with a `-` the other way round. */
export const sortKeys = ['created', 'name', 'status', 'template', 'cpu', 'memory'] as const
export type SortKey = (typeof sortKeys)[number]

export const viewSpec = {
  sort: [
    'created',
    '-created',
    'name',
    '-name',
    'status',
    '-status',
    'template',
    '-template',
    'cpu',
    '-cpu',
    'memory',
    '-memory',
  ],
} as const
export type Sort = ListState<typeof viewSpec>['sort']

export const keyOfSort = (sort: Sort): SortKey => sort.replace('-', '') as SortKey // without its sign

/** What a click on the head of a column asks for: that column, and the other way round when it is the one already. */
export const sortAfter = (sort: Sort, key: SortKey): Sort => (sort === key ? `-${key}` : key)

const valueIn: Record<SortKey, (vm: Vm) => string | number> = {
  created: (vm) => vm.created_at,
  name: (vm) => foldForSearch(vm.name),
  status: (vm) => vm.status,
  template: (vm) => foldForSearch(vm.template_name),
  cpu: (vm) => vm.cpu,
  memory: (vm) => vm.memory_mb,
}

/** Numbers inside of names count as numbers: `web-2` before `web-10`. */
const compareTexts = new Intl.Collator(undefined, { numeric: true }).compare

/** In that order; those that are alike keep theirs, the oldest first. */
export function sortVms(vms: readonly Vm[], sort: Sort): readonly Vm[] {
  if (sort === 'created') return vms
  const value = valueIn[keyOfSort(sort)]
  const sign = sort.startsWith('-') ? -1 : 1
  const keyed = vms.map((vm) => ({ vm, key: value(vm) }))
  keyed.sort((a, b) =>
    typeof a.key === 'number' && typeof b.key === 'number'
      ? sign * (a.key - b.key)
      : sign * compareTexts(String(a.key), String(b.key)),
  )
  return keyed.map(({ vm }) => vm)
}
