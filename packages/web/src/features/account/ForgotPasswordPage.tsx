import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { paths } from '../../paths.ts'
import { readSignInState, type SignInState } from '../../shell/sign-in-state.ts'
import { AccountHeading } from './AccountHeading.tsx'
import { MailedLinkForm } from './MailedLinkForm.tsx'
import { useForgotPassword } from './mailed-link.ts'

export function Component() {
  const state = readSignInState(useLocation().state)
  const [email, setEmail] = useState(state.email ?? '')
  return (
    <>
      <AccountHeading title="Forgot your password?">
        Enter the email address of your account. We will send you a link to choose a new password.
      </AccountHeading>
      <MailedLinkForm
        email={email}
        onEmailChange={setEmail}
        request={useForgotPassword()}
        submit="Send Reset Link"
      />
      <p className="mt-6">
        <Link to={paths.signIn} state={{ ...state, email } satisfies SignInState} className="link">
          Back to Sign In
        </Link>
      </p>
    </>
  )
}
