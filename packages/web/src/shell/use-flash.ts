import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { toast } from '../ui/toast.tsx'

interface Flash {
  /** Shown by the next page. */
  flash?: string | undefined
  /** Whether that page reloads its list. */
  refresh?: boolean | undefined
}

/** Navigation state with a message for the next page: `navigate(path, { state: flash('Saved', { refresh: true }) })`. */
export function flash(message: string, { refresh = false } = {}): Flash {
  return { flash: message, refresh }
}

/**
 * Shows the message of the navigation once, and refreshes the page if requested. Then the state is cleared, because
 * the browser keeps it and a reload would show the message again (catalogue G-118).
 */
export function useFlash({ onRefresh }: { onRefresh?: () => void } = {}): void {
  const navigate = useNavigate()
  const { key, state, pathname, search, hash } = useLocation()
  const taken = useRef<string>(undefined)
  useEffect(() => {
    // An earlier version of the page may have left anything there.
    const { flash: message, refresh } = (state ?? {}) as Flash
    if ((message === undefined && refresh === undefined) || taken.current === key) return
    taken.current = key
    if (typeof message === 'string') toast.success(message)
    if (refresh === true) onRefresh?.()
    void navigate({ pathname, search, hash }, { replace: true, state: null, preventScrollReset: true })
  }, [key, state, pathname, search, hash, navigate, onRefresh])
}
