import { type SearchHit, searchKinds } from '@slipway/contract'

const keptAtMost = 6

const keyOf = (userId: string) => `slipway.recent.${userId}`

/** What a user chose last, the latest first; nothing where storage is forbidden or holds something else. */
export function recentPicks(userId: string): SearchHit[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isHit).slice(0, keptAtMost) : []
  } catch {
    return []
  }
}

/** Keeps what was chosen in this browser, without its status: that will be another one. */
export function keepPick(userId: string, picked: SearchHit): void {
  const others = recentPicks(userId).filter(({ kind, id }) => kind !== picked.kind || id !== picked.id)
  const picks = [{ ...picked, status: null }, ...others].slice(0, keptAtMost)
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(picks))
  } catch {
    // Then nothing is recent.
  }
}

function isHit(value: unknown): value is SearchHit {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id, name } = value as Record<string, unknown>
  return searchKinds.some((known) => known === kind) && typeof id === 'string' && typeof name === 'string'
}
