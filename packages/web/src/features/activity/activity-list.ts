import type { Activity, ActivityPage } from '@slipway/contract'

/** Entries of the newest page that are not shown yet, and whether there may be others between them and those shown. */
export function freshOf(shown: ActivityPage, newest: ActivityPage): { entries: Activity[]; gap: boolean } {
  const known = new Set(shown.entries.map(({ id }) => id))
  const entries = newest.entries.filter(({ id }) => !known.has(id))
  return {
    entries,
    gap: newest.next !== null && shown.entries.length > 0 && entries.length === newest.entries.length,
  }
}

/** What is shown with the newest entries on top. Where something would be missing between them it begins anew. */
export function withNewest(shown: ActivityPage | null, newest: ActivityPage): ActivityPage {
  if (!shown) return newest
  const { entries, gap } = freshOf(shown, newest)
  if (gap) return newest
  return entries.length === 0 ? shown : { ...shown, entries: [...entries, ...shown.entries] }
}

/** What is shown with an older page below. */
export function withOlder(shown: ActivityPage, older: ActivityPage): ActivityPage {
  const known = new Set(shown.entries.map(({ id }) => id))
  return {
    entries: [...shown.entries, ...older.entries.filter(({ id }) => !known.has(id))],
    next: older.next,
  }
}

/** Entries of one day of the reader's calendar. */
export interface Day {
  /** `Today`, `Yesterday`, else the date. */
  label: string
  entries: Activity[]
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })

/** Entries, newest first, by the day on which they happened. */
export function byDay(entries: readonly Activity[], now: Date): Day[] {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  const labelOf = (at: string) => {
    const day = new Date(at)
    if (day.toDateString() === now.toDateString()) return 'Today'
    return day.toDateString() === yesterday.toDateString() ? 'Yesterday' : date.format(day)
  }
  const days: Day[] = []
  for (const entry of entries) {
    const label = labelOf(entry.at)
    const last = days.at(-1)
    if (last?.label === label) last.entries.push(entry)
    else days.push({ label, entries: [entry] })
  }
  return days
}

/** A sentence around the name of its object: before, the name, after. The name is null where it does not occur. */
export function aroundName({ message, object: { name } }: Pick<Activity, 'message' | 'object'>): {
  before: string
  name: string | null
  after: string
} {
  const at = name === '' ? -1 : message.indexOf(name)
  if (at < 0) return { before: message, name: null, after: '' }
  return { before: message.slice(0, at), name, after: message.slice(at + name.length) }
}
