/** The question before input is lost: `discard` continues, `keep` stays. */
export interface LeaveQuestion {
  discard: () => void
  keep: () => void
}

/** An open dialog with a form. It shows the question itself, because nothing outside a modal dialog can be reached. */
export interface FormDialogHost {
  ask: (question: LeaveQuestion) => void
}

interface Place {
  pathname: string
  search: string
}

/** The forms with unsaved input, each with the dialog it is in. */
const forms = new Map<object, FormDialogHost | null>()
/** Open dialogs with forms, the topmost last. */
const dialogs: FormDialogHost[] = []
let passing = false

/** Whether leaving the page would lose the input of a form. */
export const hasUnsaved = (): boolean => forms.size > 0

/** The same for the form in one dialog. */
export const hasUnsavedIn = (dialog: FormDialogHost): boolean => [...forms.values()].includes(dialog)

/** From now on `form` has unsaved input. It belongs to the topmost dialog. */
export function keepUnsaved(form: object): void {
  if (forms.has(form)) return
  if (forms.size === 0) globalThis.addEventListener?.('beforeunload', askBrowser)
  forms.set(form, dialogs.at(-1) ?? null)
}

/** The input was saved, sent or discarded. */
export function forgetUnsaved(form: object): void {
  if (forms.delete(form) && forms.size === 0) globalThis.removeEventListener?.('beforeunload', askBrowser)
}

/** Discards the input of all forms, or of those in one dialog. */
export function forgetAllUnsaved(dialog?: FormDialogHost): void {
  for (const [form, host] of [...forms]) if (dialog === undefined || host === dialog) forgetUnsaved(form)
}

/** Registers an open dialog with a form. Call the result when the dialog closes. */
export function openFormDialog(dialog: FormDialogHost): () => void {
  dialogs.push(dialog)
  return () => {
    dialogs.splice(dialogs.indexOf(dialog), 1)
  }
}

/** The dialog that shows the question; null when the page does. */
export const askingDialog = (): FormDialogHost | null => [...forms.values()].at(-1) ?? null

/**
 * Lets the navigation pass that this click starts: Cancel says what it does, and a draft is not lost. A click that
 * only opens another tab changes nothing.
 */
export function letThrough(): void {
  passing = true
  setTimeout(() => {
    passing = false
  })
}

/** Whether a navigation has to ask first. A new path leaves the page; any change of the URL leaves a dialog. */
export function isHeldBack(from: Place, to: Place): boolean {
  const leavesPage = from.pathname !== to.pathname
  const leavesDialog = leavesPage || from.search !== to.search
  if (passing && leavesDialog) {
    forgetAllUnsaved()
    return false
  }
  return [...forms.values()].some((dialog) => (dialog ? leavesDialog : leavesPage))
}

function askBrowser(event: Event): void {
  event.preventDefault()
}
