import { useCallback } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { dialogIn, dialogStateOver, entryBelow, withDialog } from './dialog-url.ts'

/** Where to go instead of just closing. */
interface CloseOptions {
  /** A page to show instead of the one below, when that page's object was deleted. */
  to?: string
}

export type CloseDialog = (options?: CloseOptions) => boolean

/** React Router keeps its key in the state of a history entry; the first entry of a visit has none yet. */
function entryNow(): { key: string; state: unknown } {
  const { key = 'default', usr = null } = (history.state ?? {}) as { key?: string; usr?: unknown }
  return { key, state: usr }
}

/** The key of the entry being left: closing takes a moment, and must not go back twice. */
let leaving: string | null = null

/**
 * Opens a dialog of the page by its name, about an object. Opening adds a history entry: Back closes the dialog, and a
 * reload or a link opens it again. The function keeps its identity, so cards that hold it do not render again with
 * each change of the URL.
 */
export function useOpenDialog(): (name: string, of?: string) => void {
  const navigate = useNavigate()
  return useCallback(
    (name, of) => {
      const { key, state } = entryNow()
      const { search, hash } = window.location
      void navigate(
        { search: withDialog(search, { name, of: of ?? null }), hash },
        { state: dialogStateOver(key, state), preventScrollReset: true },
      )
    },
    [navigate],
  )
}

/**
 * The dialog that the URL names, and how to close it. `close` does nothing and answers false when that dialog is
 * closed already, as after Back while its call was under way.
 */
export function useDialogInUrl() {
  const navigate = useNavigate()
  const { key, state, search, hash } = useLocation()
  const dialog = dialogIn(search)
  const close: CloseDialog = ({ to } = {}) => {
    if (!dialog || entryNow().key !== key || leaving === key) return false
    if (entryBelow(state) === null) {
      // Opened by a link, so the entry below is another page.
      void navigate(to ?? { search: withDialog(search, null), hash }, {
        replace: true,
        ...(to === undefined && { state, preventScrollReset: true }),
      })
      return true
    }
    leaving = key
    window.addEventListener(
      'popstate',
      () => {
        leaving = null
        if (to !== undefined) void navigate(to, { replace: true })
      },
      { once: true },
    )
    void navigate(-1)
    return true
  }
  return { dialog, close }
}

/** A dialog of the page without an object, such as one that creates something. */
export function useDialog(name: string): { open: boolean; close: CloseDialog } {
  const { dialog, close } = useDialogInUrl()
  return { open: dialog?.name === name, close }
}
