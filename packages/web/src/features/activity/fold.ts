import type { Activity } from '@slipway/contract'

/** An entry with the repeats of it that happened before, the newest first. */
export interface Folded {
  /** The same for as long as new repeats come on top. */
  key: string
  entry: Activity
  more: readonly Activity[]
}

const windowMs = 3_600_000
/** Fewer than this many stand by themselves: each of them says something. */
const foldFrom = 4

/**
 * Entries, newest first, with the repeats of one within an hour folded into the newest of them, whatever happened in
 * between: a pool that fails again and again would hide everything else. What people did is never folded.
 */
export function foldRepeats(entries: readonly Activity[]): Folded[] {
  const groups = new Map<string, Activity[][]>()
  const groupOf = new Map<Activity, { key: string; group: Activity[] }>()
  for (const entry of entries) {
    const same = sameness(entry)
    const ofSame = groups.get(same) ?? []
    const last = ofSame.at(-1)
    const isNear = last?.[0] && Date.parse(last[0].at) - Date.parse(entry.at) <= windowMs
    const group = last && isNear ? last : []
    if (group !== last) ofSame.push(group)
    group.push(entry)
    groups.set(same, ofSame)
    groupOf.set(entry, { key: `${ofSame.length} ${same}`, group })
  }
  return entries.flatMap((entry) => {
    const { key, group } = groupOf.get(entry) ?? { key: entry.id, group: [entry] }
    if (group.length < foldFrom || entry.actor) return [{ key: entry.id, entry, more: [] }]
    return group[0] === entry ? [{ key, entry, more: group.slice(1) }] : []
  })
}

/** Equal for entries that say the same, of the same object or of others of its type. */
function sameness({ kind, action, actor, object, message, reason }: Activity): string {
  const sentence = object.name === '' ? message : message.replace(object.name, '')
  const why = object.name === '' ? reason : (reason?.replaceAll(object.name, '') ?? null)
  return JSON.stringify([kind, action, actor?.id ?? null, object.type, sentence, why])
}

/** `4 more times in the last hour`; `4 more like this` where they are about other objects. */
export function repeatsText({ entry, more }: Pick<Folded, 'entry' | 'more'>, nowMs: number): string {
  const oldest = more.at(-1) ?? entry
  const isOne = more.every(({ object }) => object.id === entry.object.id)
  const what = isOne
    ? `${more.length} more ${more.length === 1 ? 'time' : 'times'}`
    : `${more.length} more like this`
  return `${what} ${nowMs - Date.parse(oldest.at) <= windowMs ? 'in the last hour' : 'in the hour before'}`
}
