/** The dialog that a URL names, and the id of the object it is about. */
export interface DialogInUrl {
  name: string
  of: string | null
}

const nameParameter = 'dialog'
const ofParameter = 'of'

/** The dialog that a query names; null when it names none. */
export function dialogIn(search: string): DialogInUrl | null {
  const query = new URLSearchParams(search)
  const name = query.get(nameParameter)
  return name ? { name, of: query.get(ofParameter) } : null
}

/** The query with another dialog or without one. Everything else in the query is kept. */
export function withDialog(search: string, dialog: DialogInUrl | null): string {
  const query = new URLSearchParams(search)
  query.delete(nameParameter)
  query.delete(ofParameter)
  if (dialog) query.set(nameParameter, dialog.name)
  if (dialog?.of) query.set(ofParameter, dialog.of)
  const text = query.toString()
  return text && `?${text}`
}

/** State of a dialog's history entry: the key of the entry below it, which Back returns to. */
interface DialogState {
  dialogOver: string
}

/** The state for the entry of a dialog, over an entry with this key and this state. */
export const dialogStateOver = (key: string, state: unknown): DialogState => ({
  ...(typeof state === 'object' ? state : null),
  dialogOver: key,
})

/** The key of the entry that a dialog was opened over; null where no dialog was opened by a step forward. */
export function entryBelow(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('dialogOver' in state)) return null
  return typeof state.dialogOver === 'string' ? state.dialogOver : null
}

/** A dialog does not move the page, so both entries share a scroll position: opening and closing never scrolls. */
export const scrollKey = ({ key, state }: { key: string; state: unknown }): string => entryBelow(state) ?? key
