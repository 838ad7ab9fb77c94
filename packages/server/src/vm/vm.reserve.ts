import type { Clock } from '../lib/clock.ts'

interface Like {
  imageId: string
  cpu: number
  memoryMb: number
}

/** What of the reserve of an engine is needed here. */
interface Reserve {
  take: (like: Like) => string | null
  held: () => { guests: number }
}

/** About as long as it takes until there are new ones. */
const rememberMs = 60_000

/**
 * Shares out the guests that are kept ready: an account that took some in the last minute gets another one only while more
 * than that are left. So no account takes all of them.
 */
export function makeReserveShare(reserve: () => Reserve | null, clock: Pick<Clock, 'now'>) {
  const takenAt = new Map<string, number[]>()

  return function take(accountId: string, like: Like): string | null {
    const now = clock.now()
    for (const [account, times] of takenAt) {
      const recent = times.filter((at) => at > now - rememberMs)
      if (recent.length > 0) takenAt.set(account, recent)
      else takenAt.delete(account)
    }
    const own = takenAt.get(accountId) ?? []
    const left = reserve()?.held().guests ?? 0
    if (own.length > 0 && left > 0 && left <= own.length) return null
    const id = reserve()?.take(like) ?? null
    if (id !== null) takenAt.set(accountId, [...own, now])
    return id
  }
}
