/** What the activity log says of the bin: about what is in it. */
import { type BinKind, binDaysText, binNouns } from '@slipway/contract'
import { change, type Entry, entry, type Told, wish } from '../activity/entry.ts'

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

/** Its time in the bin is over. */
export function keptLongEnough(
  item: Subject & { deleted_at: string; delete_at: string },
  nowMs: number,
): Entry {
  const days = Math.round((Date.parse(item.delete_at) - Date.parse(item.deleted_at)) / 86_400_000)
  const noun = binNouns[item.kind]
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${item.name}`
  const message = `${title} is being deleted for good`
  return about(item, nowMs, change('bin.over', message, `It was in the bin for ${binDaysText(days)}.`))
}
