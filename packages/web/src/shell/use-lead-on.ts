import { useEffect, useRef } from 'react'
import { useNavigate, useNavigation } from 'react-router'

/**
 * Leads to another page after a while, with the state that it reads; null means not now. Whoever goes elsewhere
 * before is not taken back, also while that page is still being fetched.
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
