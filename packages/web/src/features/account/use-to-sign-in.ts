import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '../../paths.ts'
import type { SignInState } from '../../shell/sign-in-state.ts'

/** Leads to the sign-in page after a while; null means not now. */
export function useToSignIn(delayMs: number | null, { from, email }: SignInState = {}): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (delayMs === null) return
    const state: SignInState = { ...(from && { from }), ...(email && { email }) }
    const timer = setTimeout(() => void navigate(paths.signIn, { state }), delayMs)
    return () => clearTimeout(timer)
  }, [delayMs, from, email, navigate])
}
