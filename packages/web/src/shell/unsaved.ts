/** Who asks before the text is lost: `discard` goes on, `keep` stays. */
export interface LeaveQuestion {
  discard: () => void
  keep: () => void
}

/** An open dialog with a form in it. It asks itself, because nothing beside a modal dialog can be reached. */
export interface FormDialogHost {
  ask: (question: LeaveQuestion) => void
}

interface Place {
  pathname: string
  search: string
}

/** The forms that hold something typed, each with the dialog it is in. */
const forms = new Map<object, FormDialogHost | null>()
/** Open dialogs with forms, the topmost last. */
const dialogs: FormDialogHost[] = []
let passing = false

/** Whether a form holds something that leaving the page would lose. */
export const hasUnsaved = (): boolean => forms.size > 0

/** The same of the form in one dialog. */
export const hasUnsavedIn = (dialog: FormDialogHost): boolean => [...forms.values()].includes(dialog)

/** From now on `form` holds something typed; it belongs to the topmost dialog. */
export function keepUnsaved(form: object): void {
  if (forms.has(form)) return
  if (forms.size === 0) globalThis.addEventListener?.('beforeunload', askBrowser)
  forms.set(form, dialogs.at(-1) ?? null)
}

/** It is saved, sent, or nobody wants it any more. */
export function forgetUnsaved(form: object): void {
  if (forms.delete(form) && forms.size === 0) globalThis.removeEventListener?.('beforeunload', askBrowser)
}

/** All forms are to be left as they are; those of one dialog when it is named. */
export function forgetAllUnsaved(dialog?: FormDialogHost): void {
  for (const [form, host] of [...forms]) if (dialog === undefined || host === dialog) forgetUnsaved(form)
}

/** A dialog with a form opens; what comes back says that it is closed. */
export function openFormDialog(dialog: FormDialogHost): () => void {
  dialogs.push(dialog)
  return () => {
    dialogs.splice(dialogs.indexOf(dialog), 1)
  }
}

/** The dialog that has to ask; null when the page asks. */
export const askingDialog = (): FormDialogHost | null => [...forms.values()].at(-1) ?? null

/**
 * Lets the navigation through that this very click begins: Cancel says what it does, and what was kept as a draft is
 * not lost. A click that only opens another tab changes nothing.
 */
export function letThrough(): void {
  passing = true
  setTimeout(() => {
    passing = false
  })
}

/** Whether a navigation has to ask first. A page is left by its path; a dialog by any change of the URL. */
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
