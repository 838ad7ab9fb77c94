/** Which members of groups somebody needs as they are, for both repositories of groups. */
import { hasToWait, mayBegin } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import { underWayOfVms } from '../under-way/under-way.conditions.ts'

const membersOf = (executor: Db, groupId: string | null) => {
  const all = executor.selectFrom('vm').select('vm.id').where('vm.wanted_deleted', '=', 0)
  return groupId === null ? all.where('vm.group_id', 'is not', null) : all.where('vm.group_id', '=', groupId)
}

/** The members of a group, or of every one, that something is done with which has to end before they are replaced. */
export async function heldMembers(executor: Db, groupId: string | null): Promise<Set<string>> {
  const underWay = await underWayOfVms(executor, membersOf(executor, groupId))
  return new Set([...underWay].flatMap(([id, changes]) => (hasToWait('replace', changes) ? id : [])))
}

/** Whether something is done with a member of a group that has to end before the group is deleted. */
export async function isGroupBusy(executor: Db, groupId: string): Promise<boolean> {
  const underWay = await underWayOfVms(executor, membersOf(executor, groupId))
  return [...underWay.values()].some((changes) => mayBegin('binVm', changes) !== true)
}
