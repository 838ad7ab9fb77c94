import { Link, Outlet } from 'react-router'
import { useIsSignUpOffered } from '../api/host.ts'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { PublicFrame } from './PublicFrame.tsx'

/** Header buttons of the public pages. */
export function PublicActions() {
  const { state } = useSession()
  const isSignUpOffered = useIsSignUpOffered()
  if (state === 'checking') return null
  if (state === 'in') return <Button render={<Link to={paths.home} />}>Dashboard</Button>
  return (
    <>
      <Button variant="quiet" render={<Link to={paths.signIn} />}>
        Sign In
      </Button>
      {isSignUpOffered && (
        <Button variant="primary" render={<Link to={paths.signUp} />}>
          Sign Up
        </Button>
      )}
    </>
  )
}

/** Legal pages, in both session states. */
export function Component() {
  return (
    <PublicFrame actions={<PublicActions />}>
      <Outlet />
    </PublicFrame>
  )
}
