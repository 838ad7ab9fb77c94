import { type ReactNode, useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { FullPageNote } from './FullPageNote.tsx'
import { isLeaving } from './leave.ts'
import { readSignInState, type SignInState } from './sign-in-state.ts'

/** Lets signed-in users pass and sends everybody else to `/signin`, which brings them back here. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { state } = useSession()
  const { pathname, search, hash } = useLocation()
  // The pages behind it share one guard, so it knows whether there was a session a moment ago.
  const [wasIn, setWasIn] = useState(false)
  if (state === 'in' && !wasIn) setWasIn(true)
  if (state === 'checking') return <FullPageNote text="Checking authentication..." />
  if (state === 'out') {
    // Signing out leads home: it is not a session that ended unasked.
    if (isLeaving()) return <Navigate to={paths.home} replace />
    const asked: SignInState = {
      from: pathname + search + hash,
      reason: wasIn ? 'ended' : 'required',
    }
    return <Navigate to={paths.signIn} state={asked} replace />
  }
  return children
}

/** For pages that make no sense to a signed-in user: sends them where they wanted to go, or home. */
export function SignedOutOnly({ children }: { children: ReactNode }) {
  const { state } = useSession()
  const { from } = readSignInState(useLocation().state)
  return state === 'in' ? <Navigate to={from ?? paths.home} replace /> : children
}
