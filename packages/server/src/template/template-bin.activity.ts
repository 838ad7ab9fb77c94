/** What the activity log says of templates in the bin. */
import { binDaysText } from '@slipway/contract'
import { change, type Entry, entry, wish } from '../activity/entry.ts'

interface Subject {
  id: string
  name: string
}

/** Somebody restored a template, perhaps under another name. */
export const restored = ({ id, name }: Subject, nameNow: string, userId: string, nowMs: number): Entry =>
  entry(
    nowMs,
    { type: 'template', id, name: nameNow, accountId: userId },
    wish(
      userId,
      'templateBin.restore',
      `Restored template ${name} from the bin`,
      name === nameNow ? null : `It is called ${nameNow} now: its name is taken.`,
    ),
  )

export const deletedForGood = ({ id, name }: Subject, userId: string, nowMs: number): Entry =>
  entry(
    nowMs,
    { type: 'template', id, name, accountId: userId },
    wish(userId, 'templateBin.delete', `Deleted template ${name} in the bin for good`),
  )

/** Its time in the bin is over; it stands in the log of who deleted it. */
export function keptLongEnough(
  item: Subject & { deleted_at: string; deleted_by: string | null; delete_at: string },
  nowMs: number,
): Entry {
  const { id, name, deleted_by } = item
  const days = Math.round((Date.parse(item.delete_at) - Date.parse(item.deleted_at)) / 86_400_000)
  return entry(
    nowMs,
    { type: 'template', id, name, ...(deleted_by !== null && { accountId: deleted_by }) },
    change(
      'templateBin.over',
      `Template ${name} was deleted for good`,
      `It was in the bin for ${binDaysText(days)}.`,
    ),
  )
}
