import { useEffect, useRef } from 'react'
import { useNavigate, useNavigation } from 'react-router'

/**
 * Goes to another page after a delay, with navigation state; null means not now. A user who goes elsewhere first is
 * not brought back, even while that page is still loading.
 */
export function useLeadOn(to: string, delayMs: number | null, state?: unknown): void {
  const navigate = useNavigate()
  const leaving = useNavigation().state !== 'idle'
  const latest = useRef(state)
  useEffect(() => {
    latest.current = state
  })
  useEffect(() => {
    if (delayMs === null || leaving) return
    const timer = setTimeout(() => void navigate(to, { state: latest.current }), delayMs)
    return () => clearTimeout(timer)
  }, [to, delayMs, leaving, navigate])
}
