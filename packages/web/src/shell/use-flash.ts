import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { toast } from '../ui/toast.tsx'

interface Flash {
  /** Shown by the page one arrives at. */
  flash?: string | undefined
  /** Whether that page loads its list anew. */
  refresh?: boolean | undefined
}

/** Navigation state with a message for the next page: `navigate(path, { state: flash('Saved', { refresh: true }) })`. */
export function flash(message: string, { refresh = false } = {}): Flash {
  return { flash: message, refresh }
}

/**
 * Shows the message that the navigation brought, once, and lets the page refresh if it asks for that. Then the state
 * is emptied: the browser keeps it, and a reload would show the message again (catalogue G-118).
 */
export function useFlash({ onRefresh }: { onRefresh?: () => void } = {}): void {
  const navigate = useNavigate()
  const { key, state, pathname, search, hash } = useLocation()
  const taken = useRef<string>(undefined)
  useEffect(() => {
    // Whatever an earlier version of the page may have left there.
    const { flash: message, refresh } = (state ?? {}) as Flash
    if ((message === undefined && refresh === undefined) || taken.current === key) return
    taken.current = key
    if (typeof message === 'string') toast.success(message)
    if (refresh === true) onRefresh?.()
    void navigate({ pathname, search, hash }, { replace: true, state: null, preventScrollReset: true })
  }, [key, state, pathname, search, hash, navigate, onRefresh])
}
