/** Which snapshots of a schedule are deleted, as a pure function. */
import { type SnapshotRhythm, type SnapshotRhythms, snapshotRhythms } from '@slipway/contract'

/** A snapshot that a schedule took. */
export interface Taken {
  id: string
  rhythm: SnapshotRhythm
  status: 'pending' | 'creating' | 'ready' | 'deleting' | 'failed' | 'error'
}

const isOver = ({ status }: Taken) => status === 'ready' || status === 'failed'

/**
 * The ids of what is deleted, oldest first: ready ones beyond the number that is kept, so never a good one for one that is
 * not ready; and failed ones that another came after. One that is damaged is left for somebody to see. Of a rhythm that is
 * switched off nothing is deleted. `taken` is in the order of time, oldest first.
 */
export function thinOut(taken: readonly Taken[], rhythms: SnapshotRhythms): string[] {
  const surplus = snapshotRhythms.flatMap((rhythm) => {
    const rules = rhythms[rhythm]
    if (!rules) return []
    const own = taken.filter((one) => one.rhythm === rhythm)
    const ready = own.filter(({ status }) => status === 'ready')
    const lastOver = own.findLast(isOver)
    const failed = own.filter((one) => one.status === 'failed' && one !== lastOver)
    return [...ready.slice(0, Math.max(0, ready.length - rules.keep)), ...failed]
  })
  const ids = new Set(surplus.map(({ id }) => id))
  return taken.filter(({ id }) => ids.has(id)).map(({ id }) => id)
}

/** Whether what is being created may still make others surplus. */
export const isUnderWay = (taken: readonly Taken[]): boolean =>
  taken.some(({ status }) => status === 'pending' || status === 'creating')
