/** What has to leave the bin of an account so that its limits hold. */

export interface Held {
  id: string
  deletedAt: string
  /** It came in just now, and so after all that is not new. */
  isNew: boolean
  bytes: number
  vms: number
}

/** Null: no limit. */
export interface BinLimits {
  bytes: number | null
  vms: number | null
}

const amounts = ['bytes', 'vms'] as const

export type Leaving = { id: string; why: 'too-large' | 'oldest' }

/**
 * First what exceeds a limit alone, which would push out all else in vain; then the oldest, and of those only what takes
 * something of which there is too much.
 */
export function planLeaving(held: readonly Held[], limits: BinLimits): Leaving[] {
  const isOver = (amount: (typeof amounts)[number], value: number) => value > (limits[amount] ?? Infinity)
  const tooLarge = held.filter((item) => amounts.some((amount) => isOver(amount, item[amount])))
  const leaving: Leaving[] = tooLarge.map(({ id }) => ({ id, why: 'too-large' }))
  const rest = held.filter((item) => !tooLarge.includes(item)).sort(byAge)
  const sum = { bytes: 0, vms: 0 }
  for (const item of rest) for (const amount of amounts) sum[amount] += item[amount]
  for (const item of rest) {
    if (!amounts.some((amount) => item[amount] > 0 && isOver(amount, sum[amount]))) continue
    leaving.push({ id: item.id, why: 'oldest' })
    for (const amount of amounts) sum[amount] -= item[amount]
  }
  return leaving
}

/** The oldest first. Ids tell when an object was created, and only make the order certain. */
function byAge(a: Held, b: Held): number {
  if (a.isNew !== b.isNew) return a.isNew ? 1 : -1
  if (a.deletedAt !== b.deletedAt) return a.deletedAt < b.deletedAt ? -1 : 1
  return a.id < b.id ? -1 : 1
}
