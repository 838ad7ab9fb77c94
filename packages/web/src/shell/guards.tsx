import { type ReactNode, useEffect, useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { FullPageNote } from './FullPageNote.tsx'
import { isLeaving } from './leave.ts'
import { readSignInState, type SignInState, sharedPortAsked } from './sign-in-state.ts'

/** Lets signed-in users pass and sends everyone else to `/signin`, which brings them back. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { state } = useSession()
  const { pathname, search, hash } = useLocation()
  // The pages behind it share one guard, so it knows whether there was a session a moment ago.
  const [wasIn, setWasIn] = useState(false)
  if (state === 'in' && !wasIn) setWasIn(true)
  if (state === 'checking') return <FullPageNote text="Checking authentication..." />
  if (state === 'out') {
    // Signing out leads to the landing page: this session did not expire.
    if (isLeaving()) return <Navigate to={paths.home} replace />
    const asked: SignInState = {
      from: pathname + search + hash,
      reason: wasIn ? 'ended' : 'required',
    }
    return <Navigate to={paths.signIn} state={asked} replace />
  }
  return children
}

/** For pages that signed-in users do not need: sends them to the page they came for, or home. */
export function SignedOutOnly({ children }: { children: ReactNode }) {
  const { state } = useSession()
  const location = useLocation()
  if (state !== 'in') return children
  const sharedPort = sharedPortAsked(location.search)
  if (sharedPort !== null) return <LeadTo href={sharedPort} />
  return <Navigate to={readSignInState(location.state).from ?? paths.home} replace />
}

/** Leaves the console for another page of the server. */
function LeadTo({ href }: { href: string }) {
  useEffect(() => window.location.replace(href), [href])
  return <FullPageNote text="Opening the shared port..." />
}
