import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { letThrough } from './unsaved.ts'

const storageKey = 'slipway.draft'

interface Stored {
  /** Which visit of which form this was: going back to it brings the draft back, a new visit begins anew. */
  visit: string
  form: unknown
}

/** What was typed in a form, kept in this tab while the user looks after something on another page. */
export function useDraft<Form>(): { draft: Form | null; keepDraft: (form: Form) => void } {
  // The page a tab begins with has no key of its own, but its address.
  const { key, pathname, search } = useLocation()
  const visit = `${pathname}${search} ${key}`
  const [draft] = useState(() => {
    const stored = read()
    // Kept by the same form on the same visit, in this very tab.
    return stored?.visit === visit ? (stored.form as Form) : null
  })
  useEffect(drop, [])
  const keepDraft = (form: Form) => {
    write({ visit, form })
    // Nothing is lost by the click that goes to the other page.
    letThrough()
  }
  return { draft, keepDraft }
}

function read(): Stored | null {
  try {
    // Only `write` writes there.
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Stored | null
  } catch {
    return null
  }
}

function write(stored: Stored): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(stored))
  } catch {
    // Without storage the form begins anew.
  }
}

function drop(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Then there is none.
  }
}
