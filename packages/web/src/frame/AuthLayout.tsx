import { Link, Outlet, useLocation } from 'react-router'
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
  if (session.state === 'in') return <Button render={<Link to={paths.home} />}>Dashboard</Button>
  const question = {
    [paths.signIn]: 'No account yet?',
    [paths.signUp]: 'Already have an account?',
  }[pathname]
  const onSignIn = pathname === paths.signIn
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
