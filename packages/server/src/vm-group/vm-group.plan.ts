/**
 * The life of a pool or set as a pure function: from the number that is wanted and the members there are, the one
 * next step. No clock, no I/O. State machines SM-4 and SM-5 of the catalogue. What a member is made of is the VM
 * service's business; a group only wishes for VMs.
 */
import type { VmStatus } from '@slipway/contract'
import {
  allHeld,
  firstToGo,
  isBeingReplaced,
  nextOfRollOut,
  type RollOutStep,
  rollOutDue,
  rollOutMessage,
  rollOutTarget,
  rollOutTrouble,
} from './roll-out.plan.ts'
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
  steadyMs,
} from './vm-group.facts.ts'

export type GroupStep =
  | { do: 'remove'; member: Member; because: 'failed' | 'broke' | 'retired' }
  /** Start it again, for the `heals`th time in a row. */
  | { do: 'heal'; member: Member; heals: number }
  | { do: 'retire'; member: Member }
  /** The group wants it back before it was gone. */
  | { do: 'keep'; member: Member }
  | { do: 'add'; number: number }
  | RollOutStep
  /** Members come up again and stay up: failures are forgotten. */
  | { do: 'recover' }
  /** Look again at `until` at the latest, in milliseconds since the epoch; null: when something changes. */
  | { do: 'rest'; until: number | null }

/** After so many failures in a row the group is in error and tries one member at a time, with pauses. */
export const failuresToError = 3
const firstPauseMs = 60_000
const longestPauseMs = 5 * 60_000

/**
 * The pause after the last of so many failures in a row: none before the group is in error, then a minute, doubled
 * with each further failure up to five. A change of the group sets its failures back, so it tries again at once.
 */
export function pauseMs(failures: number): number {
  const further = failures - failuresToError
  return further < 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** further)
}

/** Whether a failure is the one that the activity log has already: the same reason again, with no success between. */
export const isRepeated = (group: Pick<GroupFacts, 'failures' | 'failedWhy'>, why: string): boolean =>
  group.failures > 0 && group.failedWhy === why

const transitional: readonly VmStatus[] = [...coming, 'suspending', 'stopping']
/** Made and not on its way; what its user made of it is the user's. */
const settledWords: readonly VmStatus[] = ['running', 'suspended', 'stopped']

/**
 * @param atOnce how many members may be on their way up at once
 * @param now milliseconds since the epoch
 */
export function planGroup(
  known: GroupFacts,
  members: readonly Member[],
  atOnce: number,
  now: number,
): GroupStep {
  // A failure in the future: the clock was set back, and nobody can tell when it was.
  const group = known.failedAt !== null && known.failedAt > now ? { ...known, failedAt: null } : known
  // Before whatever went wrong is put right, which would hide it.
  const trouble = rollOutTrouble(group, members, now)
  if (trouble !== null) return { do: 'pause', why: trouble }

  const free = members.filter((member) => !member.busy)
  const failed = free.find(({ status }) => status === 'failed')
  if (failed) return { do: 'remove', member: failed, because: failed.retiring ? 'retired' : 'failed' }

  // Somebody protected it after it was chosen to go.
  const spared = free.find(({ retiring, isProtected }) => retiring && isProtected)
  if (spared) return { do: 'keep', member: spared }
  const gone = free.find((member) => member.retiring && ['stopped', 'error'].includes(member.status))
  if (gone) return { do: 'remove', member: gone, because: 'retired' }

  // Somebody started it meanwhile.
  const lingering = free.find(({ retiring, status }) => retiring && status !== 'stopping')
  if (lingering && (isBeingReplaced(group, lingering) || members.filter(stays).length >= group.desired)) {
    return { do: 'retire', member: lingering }
  }

  for (const member of free.filter(({ status }) => status === 'error')) {
    if (!isKept(group, member)) return { do: 'remove', member, because: 'broke' }
    const heals = healsOf(member) + 1
    if (heals <= healsAtMost) return { do: 'heal', member, heals }
  }

  const staying = members.filter(stays)
  const proofAt = provenAgainAt(group, staying, now)
  if (proofAt !== null && now >= proofAt) return { do: 'recover' }
  const target = rollOutTarget(group, members)
  if (staying.length > target) {
    const newest = staying
      .filter(({ busy, isProtected }) => !busy && !isProtected)
      .sort(byAge)
      .reverse()
    const member = newest.find(({ status }) => status === 'error') ?? firstToGo(group, members) ?? newest[0]
    if (member) return { do: 'retire', member }
    const isBusy = staying.some(({ busy, isProtected }) => busy && !isProtected)
    return { do: 'rest', until: isBusy ? now + busyPollMs : restUntil(members, now) }
  }
  const next = nextOfRollOut(group, members)
  if (next?.do === 'finish') return next
  if (next?.do === 'replace') return { do: 'retire', member: next.member }
  const isShort = staying.length < group.desired || next?.do === 'surge'
  const step = isShort ? grow(group, members, atOnce, now) : null
  if (step && step.do !== 'rest') return step
  const until = earlier(rollOutDue(group, members, now), step ? step.until : restUntil(members, now))
  return { do: 'rest', until: earlier(proofAt, until) }
}

function grow(group: GroupFacts, members: readonly Member[], atOnce: number, now: number): GroupStep {
  const back = members.filter((member) => member.retiring && !isBeingReplaced(group, member)).sort(byAge)[0]
  if (back) return { do: 'keep', member: back }
  if (group.rollOut === 'paused') return { do: 'rest', until: null }
  // The one that is replaced goes before the next one comes.
  const replaced = members.some((member) => isBeingReplaced(group, member))
  if (replaced && members.length >= rollOutTarget(group, members))
    return { do: 'rest', until: restUntil(members, now) }
  const retryAt = (group.failedAt ?? 0) + pauseMs(group.failures)
  if (now < retryAt) return { do: 'rest', until: retryAt }
  const underWay = members.filter(({ status }) => coming.includes(status)).length
  // One that failed asks for care: the next ones come one by one.
  const limit = group.failures > 0 || group.rollOut !== null ? 1 : atOnce
  if (underWay >= limit) return { do: 'rest', until: restUntil(members, now) }
  return { do: 'add', number: smallestFree(members) }
}

/**
 * When a member that came up after the last failure will have stayed up for long enough; null when none did. One that
 * came up in the future has: the clock was set back.
 */
function provenAgainAt(
  { failures, failedAt }: GroupFacts,
  members: readonly Member[],
  now: number,
): number | null {
  if (failures === 0) return null
  const provenAt = members
    .filter(({ status, statusSince }) => status === 'running' && statusSince > (failedAt ?? 0))
    .map(({ statusSince }) => (statusSince > now ? now : statusSince + steadyMs))
  return provenAt.length === 0 ? null : Math.min(...provenAt)
}

/** Whether a member that broke is started again: its root disk or its user wants it to stay. */
const isKept = ({ persistent }: GroupFacts, { isProtected }: Member): boolean => persistent || isProtected

export function smallestFree(members: readonly Pick<Member, 'number'>[]): number {
  const taken = new Set(members.map(({ number }) => number))
  let number = 1
  while (taken.has(number)) number += 1
  return number
}

/** When a member that waits for memory makes the group an error. */
function restUntil(members: readonly Member[], now: number): number | null {
  const due = members
    .flatMap(({ shortSince, busy, retiring, status }) => [
      ...(shortSince === null ? [] : [shortSince + shortageMs]),
      // Nobody tells when a snapshot is done with a member that has to go.
      ...(busy && (retiring || status === 'failed' || status === 'error') ? [now + busyPollMs] : []),
    ])
    .filter((at) => at > now)
  return due.length === 0 ? null : Math.min(...due)
}

export interface GroupState {
  status: 'coming' | 'active' | 'error'
  /** One sentence or two: what it waits for or why it failed. Null when fine. */
  message: string | null
}

export function stateOf(group: GroupFacts, members: readonly Member[], now: number): GroupState {
  const rollOut = rollOutMessage(group, members)
  if (rollOut !== null && group.rollOut === 'paused') return { status: 'error', message: rollOut }
  const staying = members.filter(stays)
  const broken = staying.find((member) => member.status === 'error' && healsOf(member) >= healsAtMost)
  if (broken && isKept(group, broken)) {
    return {
      status: 'error',
      message:
        `"${broken.name}" failed ${healsAtMost} times in a row and was left unchanged, with its disks. ${broken.statusMessage ?? ''} Start it, or delete it to get a replacement.`.replace(
          / +/g,
          ' ',
        ),
    }
  }
  if (rollOut !== null) return { status: 'coming', message: rollOut }
  const settled =
    members.length === group.desired &&
    members.every(
      ({ status, retiring }) => !retiring && !transitional.includes(status) && status !== 'failed',
    )
  if (settled && staying.every(({ status }) => status !== 'error')) return { status: 'active', message: null }
  if (group.failures >= failuresToError) {
    return {
      status: 'error',
      message: `${group.failures} VMs in a row could not be created. The last error: ${group.failedWhy ?? 'no reason was given.'} ${nextTry(group)}`,
    }
  }
  const held = staying.length > group.desired ? allHeld(staying) : null
  if (held) return { status: 'error', message: `${held} Or choose a size of ${staying.length}.` }
  const short = staying.find(({ shortSince }) => shortSince !== null && now - shortSince >= shortageMs)
  if (short)
    return {
      status: 'error',
      message: `Not enough memory for "${short.name}". ${short.statusMessage ?? ''}`.trim(),
    }
  return { status: 'coming', message: waitsFor(group, members) }
}

function nextTry({ failures }: GroupFacts): string {
  const minutes = pauseMs(failures) / 60_000
  return `Slipway tries again ${minutes === 1 ? 'in a minute' : `in ${minutes} minutes`}.`
}

function waitsFor({ desired }: GroupFacts, members: readonly Member[]): string {
  const retiring = members.find((member) => member.retiring)
  if (retiring) return `"${retiring.name}" is shutting down and will be deleted.`
  const there = members.filter(({ status }) => settledWords.includes(status)).length
  const waiting = members.find(
    ({ status, statusMessage }) => coming.includes(status) && statusMessage !== null,
  )
  const count = `${there} of ${desired} ${desired === 1 ? 'VM' : 'VMs'} created.`
  return waiting ? `${count} ${waiting.name}: ${waiting.statusMessage}` : count
}
