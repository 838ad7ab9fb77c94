import { isFoundIn } from '@slipway/contract'
import type { Group } from './group-kind.ts'

/** Whether a pool or set is meant by a search: every word of it occurs somewhere in what the card shows. */
export function matchesGroup(
  group: Pick<Group, 'name' | 'description' | 'template_name' | 'ssh_key_name' | 'status'>,
  search: string,
): boolean {
  const { name, description, template_name, ssh_key_name, status } = group
  return isFoundIn(search, name, description, template_name, ssh_key_name, status)
}
