/**
 * A roll-out as pure functions: members of a pool or set that were made of older settings are replaced one at a time,
 * and whatever keeps a new one from running pauses it. The plan of the group asks these for its next step.
 */
import {
  busyPollMs,
  byAge,
  coming,
  earlier,
  type GroupFacts,
  healsAtMost,
  healsOf,
  type Member,
  shortageMs,
  stays,
  wasUp,
} from './vm-group.facts.ts'

export type RollOutStep =
  /** A new member is not running as it should, or an old one may not go: people decide. */
  | { do: 'pause'; why: string }
  /** No member has older settings any more. */
  | { do: 'finish' }

/** How long a new member may be on its way up, in one status. */
export const slowMs = 30 * 60_000

type Group = Pick<GroupFacts, 'desired' | 'failures' | 'failedWhy' | 'revision' | 'rollOut' | 'inPlace'>

export const isOld = (
  { revision }: Pick<GroupFacts, 'revision'>,
  member: Pick<Member, 'revision'>,
): boolean => member.revision < revision

const isRolling = ({ rollOut }: Pick<GroupFacts, 'rollOut'>): boolean => rollOut === 'running'

/** Whether a member that shuts down is being replaced, and so is not taken back by a group that lacks members. */
export const isBeingReplaced = (group: Group, member: Member): boolean =>
  isRolling(group) && member.retiring && isOld(group, member)

const newOnes = (group: Group, members: readonly Member[]): Member[] =>
  members.filter((member) => stays(member) && !isOld(group, member))

/** Those that are still to be replaced, in that order: one that does not run first, then the oldest. */
const oldOnes = (group: Group, members: readonly Member[]): Member[] => {
  const rank = ({ status }: Member) => (status === 'error' ? 0 : status === 'running' ? 2 : 1)
  return members
    .filter((member) => stays(member) && isOld(group, member))
    .sort((a, b) => rank(a) - rank(b) || byAge(a, b))
}

const nextOld = (group: Group, members: readonly Member[]): Member | undefined =>
  oldOnes(group, members).find(({ busy, isProtected }) => !busy && !isProtected)

/** How many members the group is to have at this moment: a pool has one more while it replaces some. */
export const rollOutTarget = (group: Group, members: readonly Member[]): number =>
  group.desired + (isRolling(group) && !group.inPlace && oldOnes(group, members).length > 0 ? 1 : 0)

/** Which of too many members is to go before others while a roll-out runs. */
export const firstToGo = (group: Group, members: readonly Member[]): Member | undefined =>
  isRolling(group) ? nextOld(group, members) : undefined

/** Why a roll-out that runs has to pause, in a sentence or two; null when it has not. */
export function rollOutTrouble(group: Group, members: readonly Member[], now: number): string | null {
  if (!isRolling(group)) return null
  const said = (what: string, { statusMessage }: Member) => [what, statusMessage].filter(Boolean).join(' ')
  if (group.failures > 0) return ['A VM could not be created.', group.failedWhy].filter(Boolean).join(' ')
  for (const member of newOnes(group, members).filter(({ busy }) => !busy)) {
    const { name, status, statusSince, shortSince } = member
    if (status === 'failed') return said(`"${name}" could not be created.`, member)
    if (status === 'error' && (!wasUp(member) || healsOf(member) >= healsAtMost))
      return said(`"${name}" failed.`, member)
    if (shortSince !== null && now - shortSince >= shortageMs)
      return said(`Not enough memory for "${name}".`, member)
    if (coming.includes(status) && now - statusSince >= slowMs)
      return said(`"${name}" was not running within ${slowMs / 60_000} minutes.`, member)
    if (status === 'stopped' || status === 'suspended')
      return `"${name}" is ${status}. Start it, or delete it to get a replacement.`
  }
  const staying = members.filter(stays)
  const isLarge = staying.length > rollOutTarget(group, members)
  return (
    (isLarge ? allHeld(staying) : null) ??
    (isSteady(group, members) ? allHeld(oldOnes(group, members)) : null)
  )
}

/** Of members of which one has to go: why none may; null when one may. */
export function allHeld(members: readonly Member[]): string | null {
  const [first] = members
  return first && members.every(({ isProtected }) => isProtected)
    ? `"${first.name}" is protected against deletion. Turn its protection off.`
    : null
}

/** Whether every new member runs and none is being replaced: it is the turn of the next one. */
const isSteady = (group: Group, members: readonly Member[]): boolean =>
  newOnes(group, members).every(({ status }) => status === 'running') &&
  !members.some((member) => isBeingReplaced(group, member))

/**
 * The next step of a roll-out in a group that has neither too many members nor too few; null when it waits or there is
 * none.
 */
export function nextOfRollOut(
  group: Group,
  members: readonly Member[],
): { do: 'replace'; member: Member } | { do: 'surge' } | { do: 'finish' } | null {
  if (!isRolling(group) || !isSteady(group, members)) return null
  const staying = members.filter(stays).length
  if (oldOnes(group, members).length === 0) return staying === group.desired ? { do: 'finish' } : null
  const member = nextOld(group, members)
  if (!member) return null
  const isTurn = group.inPlace ? staying === group.desired : staying > group.desired
  if (isTurn) return { do: 'replace', member }
  return staying === group.desired ? { do: 'surge' } : null
}

/** When a roll-out has to be looked at again though nothing changes; null: never. */
export function rollOutDue(group: Group, members: readonly Member[], now: number): number | null {
  if (!isRolling(group)) return null
  const due = newOnes(group, members)
    .filter(({ status }) => coming.includes(status))
    .map(({ statusSince }) => statusSince + slowMs)
    .filter((at) => at > now)
  const waits = members.some((member) => member.busy) && isSteady(group, members)
  return [...due, ...(waits ? [now + busyPollMs] : [])].reduce<number | null>(earlier, null)
}

/** What a group says of its roll-out; null when there is none. */
export function rollOutMessage(group: GroupFacts, members: readonly Member[]): string | null {
  if (group.rollOut === 'paused')
    return `The roll-out is paused, and no VM is created. ${group.rollOutWhy ?? ''} Continue or stop the roll-out.`.replace(
      / +/g,
      ' ',
    )
  if (!isRolling(group)) return null
  const staying = members.filter(stays)
  const renewed = newOnes(group, members).filter(({ status }) => status === 'running').length
  const count = `Rolling out: ${renewed} of ${group.desired} ${group.desired === 1 ? 'VM runs' : 'VMs run'} with the new settings.`
  const leaving = members.find(({ retiring }) => retiring)
  if (leaving) return `${count} "${leaving.name}" is shutting down and will be deleted.`
  const next = staying.find((member) => !isOld(group, member) && coming.includes(member.status))
  if (next) return `${count} ${next.name}: ${next.statusMessage ?? 'on its way up.'}`
  const held = oldOnes(group, members).find(({ busy }) => busy)
  return held && nextOfRollOut(group, members) === null
    ? `${count} "${held.name}" is used by a snapshot or restore, or cannot be read.`
    : count
}
