import { Link, Outlet, useLocation } from 'react-router'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { PublicFrame } from './PublicFrame.tsx'

const questions: Record<string, string> = {
  [paths.signIn]: 'No account yet?',
  [paths.signUp]: 'Already have an account?',
}

/** Sign-in and what belongs to it, alone with the footer. The header leads to the other half. */
export function Component() {
  const { pathname, state } = useLocation()
  const onSignIn = pathname === paths.signIn
  return (
    <PublicFrame
      actions={
        <>
          {pathname in questions && (
            <span className="hidden text-ink-3 sm:inline">{questions[pathname]}</span>
          )}
          {/* The state goes along: whoever came for a page still gets there after signing up first. */}
          <Button render={<Link to={onSignIn ? paths.signUp : paths.signIn} state={state} />}>
            {onSignIn ? 'Sign Up' : 'Sign In'}
          </Button>
        </>
      }
    >
      <div className="mx-auto w-full max-w-104 px-4 pt-7">
        <Outlet />
      </div>
    </PublicFrame>
  )
}
