import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { FullPageNote } from './FullPageNote.tsx'
import { readSignInState, type SignInState } from './sign-in-state.ts'

/** Lets signed-in users pass and sends everybody else to `/signin`, which brings them back here. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { state } = useSession()
  const { pathname, search, hash } = useLocation()
  if (state === 'checking') return <FullPageNote text="Checking authentication..." />
  if (state === 'out') {
    const from: SignInState = { from: pathname + search + hash }
    return <Navigate to={paths.signIn} state={from} replace />
  }
  return children
}

/** For pages that make no sense to a signed-in user: sends them where they wanted to go, or home. */
export function SignedOutOnly({ children }: { children: ReactNode }) {
  const { state } = useSession()
  const { from } = readSignInState(useLocation().state)
  return state === 'in' ? <Navigate to={from ?? paths.home} replace /> : children
}
