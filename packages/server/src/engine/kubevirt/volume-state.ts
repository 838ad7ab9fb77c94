/** How it is with the making of a volume, from what CDI says of its DataVolume. */
import { oneLine, quotaUsedUp } from './failure.ts'
import type { Condition, DataVolume } from './kinds.ts'
import type { MirroredDataVolume } from './mirror.ts'
import { mark } from './names.ts'
import { bytesOf } from './quantities.ts'

export type Making =
  | { is: 'coming'; progress: number | null; trouble: string | null }
  | { is: 'whole' }
  /** `source`: the importer gave up. `quota`: the project has no room left. */
  | { is: 'failed'; because: 'source' | 'quota'; why: string }
  /** The content has so many bytes; null where CDI says so in events only. */
  | { is: 'failed'; because: 'too-small'; bytes: number | null }

/** CDI starts a failed importer again for ever, waiting longer each time: after so many it is no accident any more. */
const mostRestarts = 3

/**
 * How far it is. A failed import stays `ImportInProgress`, so that the phase alone tells nothing; a volume that waits for
 * its first machine is filled then, and is as good as whole.
 */
export function makingOf(status: DataVolume['status'] | null): Making {
  const phase = status?.phase ?? ''
  if (phase === 'Succeeded' || phase === 'WaitForFirstConsumer' || isClaimLost(status)) return { is: 'whole' }
  const running = conditionOf(status, 'Running')
  const said = running?.status === 'False' ? (running.message ?? '') : ''
  const bytes = tooSmallFor(said)
  if (bytes !== null || /too small to contain/i.test(said))
    return { is: 'failed', because: 'too-small', bytes }
  const why = sentenceOf(said)
  const restarts = status?.restartCount ?? 0
  if (phase === 'Failed' || (restarts >= mostRestarts && running?.reason === 'Error'))
    return { is: 'failed', because: 'source', why }
  const bound = conditionOf(status, 'Bound')
  if (bound?.reason === 'ErrExceededQuota') return { is: 'failed', because: 'quota', why: quotaUsedUp }
  return { is: 'coming', progress: progressOf(status?.progress), trouble: restarts > 0 && said ? why : null }
}

/** How large it is: as it was made, unless it was made larger since. */
export const sizeOf = (volume: Pick<MirroredDataVolume, 'requested' | 'annotations'> | null): number =>
  Math.max(bytesOf(volume?.requested) ?? 0, bytesOf(volume?.annotations[mark.size]) ?? 0)

/**
 * Whether the storage has made a place for it. Its claim is not bound before its content is there: CDI fills another one,
 * and goes on from `Pending` to an import or upload when that is bound. Copies leave `Pending` before anything is.
 */
export const hasPlace = (status: DataVolume['status'] | null): boolean =>
  conditionOf(status, 'Bound')?.status === 'True' || /^(Import|Upload)/.test(status?.phase ?? '')

/** What became of the claim of a volume that was whole; null where it is there, or waits for its first machine. */
export function lossOf(status: DataVolume['status'] | null): string | null {
  if (isClaimLost(status)) return 'The cluster has lost what the disk held.'
  const bound = conditionOf(status, 'Bound')
  // A claim that is not there yet is no loss.
  const isGone = status?.phase === 'Succeeded' && bound?.status === 'False' && bound.reason === 'NotFound'
  return isGone ? 'The cluster does not have the disk any more.' : null
}

/** A claim that has lost its volume: CDI calls the whole thing `Failed`, also long after it was made. */
function isClaimLost(status: DataVolume['status'] | null): boolean {
  const bound = conditionOf(status, 'Bound')
  return bound?.status === 'False' && (bound.reason === 'ClaimLost' || bound.reason === 'Lost')
}

/** `42.50%` is 0.425; `N/A` is nothing. */
function progressOf(text = ''): number | null {
  const [, percent] = text.match(/^(\d+(?:\.\d+)?)%$/) ?? []
  return percent === undefined ? null : Math.min(1, Number(percent) / 100)
}

/** The size that the content wants, where the importer said that there is not enough room for it. */
export function tooSmallFor(message: string): number | null {
  const [, bytes] = message.match(/virtual image size (\d+) is larger than/i) ?? []
  return bytes === undefined ? null : Number(bytes)
}

/** What the importer said, for a person; keys that are part of an address do not show. */
function sentenceOf(message: string): string {
  const open = message.replace(/(https?:\/\/)(?:[^\s/@"']*@)?([^\s?#"']*)[^\s"']*/g, '$1$2')
  return oneLine(open) || 'The cluster gave no reason.'
}

const conditionOf = (status: DataVolume['status'] | null, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type)
