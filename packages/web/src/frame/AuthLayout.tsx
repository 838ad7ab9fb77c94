import { Link, Outlet, useLocation } from 'react-router'
import { useIsSignUpOffered } from '../api/host.ts'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { PublicFrame } from './PublicFrame.tsx'

/** The frame of sign-in, sign-up and password pages. */
export function Component() {
  return (
    <PublicFrame actions={<WayOut />}>
      <div className="mx-auto w-full max-w-104 px-4 pt-7">
        <LeaveGuard />
        <Outlet />
      </div>
    </PublicFrame>
  )
}

/** The link in the header: from sign-in to sign-up and back. */
function WayOut() {
  const { pathname, state } = useLocation()
  const session = useSession()
  const isSignUpOffered = useIsSignUpOffered()
  if (session.state === 'in') return <Button render={<Link to={paths.home} />}>Dashboard</Button>
  const onSignIn = pathname === paths.signIn
  if (onSignIn && !isSignUpOffered) return null
  const question = {
    [paths.signIn]: 'No account yet?',
    [paths.signUp]: 'Already have an account?',
  }[pathname]
  return (
    <>
      {question && <span className="hidden text-ink-3 sm:inline">{question}</span>}
      {/* The state goes along: a visitor who came for a page still gets there after signing up. */}
      <Button render={<Link to={onSignIn ? paths.signUp : paths.signIn} state={state} />}>
        {onSignIn ? 'Sign Up' : 'Sign In'}
      </Button>
    </>
  )
}
