/** Which backups are kept: pure, over the times at which they were made. */

/** How many days, weeks and months keep one backup each, the newest of theirs. */
export interface Keep {
  daily: number
  weekly: number
  monthly: number
}

const dayMs = 86_400_000
/** Weeks begin on Monday; the first day of the epoch was a Thursday. */
const periods: readonly [keyof Keep, (at: Date) => string][] = [
  ['daily', (at) => at.toISOString().slice(0, 10)],
  ['weekly', (at) => String(Math.floor((at.getTime() / dayMs + 3) / 7))],
  ['monthly', (at) => at.toISOString().slice(0, 7)],
]

/** Returns the backups that no rule keeps. The newest is always kept, and so is every one of an unreadable time. */
export function toForget<B extends { madeAt: string }>(backups: readonly B[], keep: Keep): B[] {
  const dated = backups.filter(({ madeAt }) => !Number.isNaN(Date.parse(madeAt)))
  const newestFirst = [...dated].sort((a, b) => Date.parse(b.madeAt) - Date.parse(a.madeAt))
  const kept = new Set<B>(newestFirst.slice(0, 1))
  for (const [rule, periodOf] of periods) {
    const seen = new Set<string>()
    for (const one of newestFirst) {
      if (seen.size >= keep[rule]) break
      const period = periodOf(new Date(one.madeAt))
      if (!seen.has(period)) kept.add(one)
      seen.add(period)
    }
  }
  return newestFirst.filter((one) => !kept.has(one))
}
