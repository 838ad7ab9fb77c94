import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { letThrough } from './unsaved.ts'

const storageKey = 'slipway.draft'

interface Stored {
  /** Identifies one visit to one form: going back restores the draft, a new visit starts empty. */
  visit: string
  form: unknown
}

/** The input of a form, kept in this tab while the user visits another page. */
export function useDraft<Form>(): { draft: Form | null; keepDraft: (form: Form) => void } {
  // The first page of a tab has no key of its own, so the URL identifies it as well.
  const { key, pathname, search } = useLocation()
  const visit = `${pathname}${search} ${key}`
  const [draft] = useState(() => {
    const stored = read()
    // Stored by the same form on the same visit, in this tab.
    return stored?.visit === visit ? (stored.form as Form) : null
  })
  useEffect(drop, [])
  const keepDraft = (form: Form) => {
    write({ visit, form })
    // The click that leads to the other page loses nothing.
    letThrough()
  }
  return { draft, keepDraft }
}

function read(): Stored | null {
  try {
    // Only `write` stores this.
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Stored | null
  } catch {
    return null
  }
}

function write(stored: Stored): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(stored))
  } catch {
    // Without storage the form starts empty.
  }
}

function drop(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Without storage there is no draft.
  }
}
