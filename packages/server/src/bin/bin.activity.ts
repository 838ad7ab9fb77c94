/** What the activity log says of the bin: about what is in it. */
import { type BinKind, binLimitText, binNouns, formatGb, notKeptText, quotaAmount } from '@slipway/contract'
import { change, type Entry, entry, type Told, wish } from '../activity/entry.ts'
import type { BinLimits } from './bin.plan.ts'
import type { Leaves } from './bin-limit.repo.ts'

/** Somebody restored something, perhaps under another name. */
export const restored = (userId: string, noun: string, name: string, nameNow: string): Told =>
  wish(
    userId,
    'bin.restore',
    `Restored ${noun} ${name} from the bin`,
    name === nameNow ? null : `It is called ${nameNow} now: its name is taken.`,
  )

interface Subject {
  id: string
  project_id: string
  kind: BinKind
  name: string
}

const about = ({ id, project_id, kind, name }: Subject, nowMs: number, told: Told): Entry =>
  entry(nowMs, { type: kind, id, name, projectId: project_id }, told)

export const deletedForGood = (
  item: Subject,
  { by, call, nowMs }: { by: string; call: 'bin.delete' | 'bin.empty'; nowMs: number },
): Entry =>
  about(
    item,
    nowMs,
    wish(by, call, `Delete ${binNouns[item.kind]} ${item.name} in the bin for good requested`),
  )

/** Why something leaves the bin before its time. */
export function whyItLeaves({ item, why, newest }: Leaves, limits: BinLimits): string {
  const keeps = `the bin keeps at most ${binLimitText(limits)} of the account.`
  // Members of one project of an account may not be in its others.
  const isSeen = newest.projectId === item.projectId
  const other = isSeen ? `${nounOf(newest.kind)} ${newest.name}` : 'what was deleted in another project'
  if (why === 'oldest') return `It made room for ${other}: ${keeps}`
  const isOver = limits.bytes !== null && item.bytes > limits.bytes
  return `It has ${isOver ? formatGb(item.bytes) : quotaAmount('vms', item.vms)}, and ${keeps}`
}

const nounOf = (kind: string): string =>
  kind === 'project' ? 'project' : (Object.entries(binNouns).find(([one]) => one === kind)?.[1] ?? kind)

/** Nobody asked for it: it is kept no more. */
export function notKept(item: Subject & Parameters<typeof notKeptText>[0], nowMs: number): Entry {
  const noun = binNouns[item.kind]
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${item.name}`
  const message = `${title} is being deleted for good`
  return about(item, nowMs, change('bin.over', message, notKeptText(item)))
}
