/** What the activity log says of pools and sets. What happens to a member is an entry about the VM. */
import {
  change,
  type Entry,
  entry,
  failure,
  repair,
  type Subject,
  type Told,
  wish,
} from '../activity/entry.ts'
import type { Member } from './vm-group.facts.ts'
import type { GroupRecord, NewEvent } from './vm-group.state.ts'

type Named = Pick<GroupRecord, 'id' | 'kind' | 'name' | 'projectId'>

const words = {
  pool: { type: 'vm_pool', prefix: 'vmPool', title: 'pool' },
  set: { type: 'vm_set', prefix: 'vmSet', title: 'set' },
} as const

const subjectOf = ({ id, kind, name, projectId }: Named): Subject => ({
  type: words[kind].type,
  id,
  name,
  projectId,
})

export const titleOf = ({ kind, name }: Pick<Named, 'kind' | 'name'>): string =>
  `${words[kind].title} ${name}`

const titleAtStart = (group: Named): string => titleOf(group).replace(/^./, (letter) => letter.toUpperCase())

export const vmsOf = (n: number): string => (n === 1 ? '1 VM' : `${n} VMs`)

/** Somebody asked for a group to be made, changed or deleted. */
export const groupWish = (
  group: Named,
  userId: string,
  verb: 'create' | 'update' | 'delete' | 'rollOut' | 'continueRollOut' | 'stopRollOut',
  message: string,
  nowMs: number,
  reason: string | null = null,
): Entry => groupEntry(group, wish(userId, `${words[group.kind].prefix}.${verb}`, message, reason), nowMs)

export const groupEntry = (group: Named, told: Told, nowMs: number): Entry =>
  entry(nowMs, subjectOf(group), told)

/** What is new when the status of a group has changed; nothing when it has not, or the group is only on its way. */
export function groupNews(before: GroupRecord, after: GroupRecord): Entry[] {
  const told = before.status === after.status ? null : newsOf(after)
  return told ? [entry(after.statusSince, subjectOf(after), told)] : []
}

function newsOf(group: GroupRecord): Told | null {
  const { prefix } = words[group.kind]
  if (group.status === 'error') {
    return failure(`${prefix}.error`, `${titleAtStart(group)} needs attention`, group.statusMessage)
  }
  if (group.status === 'coming') return null
  return change(
    `${prefix}.active`,
    `${titleAtStart(group)} reached its desired size of ${group.facts.desired}`,
  )
}

/** What an entry of a group's own history says that nobody else tells. */
export function eventNews(group: Named, event: NewEvent, nowMs: number): Entry[] {
  const { prefix } = words[group.kind]
  const told = (what: Told) => [entry(nowMs, subjectOf(group), what)]
  if (event.kind === 'scaled') {
    const what = `${titleAtStart(group)} was scaled from ${event.from_size} to ${event.to_size}`
    return told(change(`${prefix}.scaled`, what, event.message))
  }
  if (event.kind === 'recovered') {
    return told(repair(`${prefix}.recovered`, `${titleAtStart(group)} recovered`, `${event.message}.`))
  }
  if (event.kind === 'rolled_out')
    return told(change(`${prefix}.rolledOut`, `${titleAtStart(group)} has new settings on all its VMs`))
  return []
}

/** A member could not be created; the group creates another one in its place. */
export const memberFailed = (
  group: Named,
  member: Pick<Member, 'id' | 'name'>,
  why: string,
  nowMs: number,
): Entry =>
  entry(
    nowMs,
    { type: 'vm', id: member.id, name: member.name, projectId: group.projectId },
    failure('vm.failed', `VM ${member.name} of ${titleOf(group)} could not be created`, why),
  )

/** A member broke, and the group creates another one in its place. */
export const memberReplaced = (group: Named, { name, statusMessage }: Member): Told =>
  repair('vm.replaced', `VM ${name} of ${titleOf(group)} is being replaced`, statusMessage)

/** A member broke, and the group starts it again with its disks. */
export const memberHealed = (group: Named, { name, statusMessage }: Member): Told =>
  repair('vm.healed', `VM ${name} of ${titleOf(group)} is restarting`, statusMessage)
