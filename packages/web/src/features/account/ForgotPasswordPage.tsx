import { Link, useLocation } from 'react-router'
import { paths } from '../../paths.ts'
import { readSignInState, type SignInState } from '../../shell/sign-in-state.ts'
import { AccountHeading } from './AccountHeading.tsx'
import { MailedLinkForm } from './MailedLinkForm.tsx'
import { resetMail } from './mailed-link.ts'

const title = 'Forgot your password?'

export function Component() {
  const state = readSignInState(useLocation().state)
  return (
    <>
      <AccountHeading title={title}>
        Enter the email address of your account. We will send you a link to choose a new password.
      </AccountHeading>
      <MailedLinkForm label={title} request={resetMail} email={state.email} submit="Send Reset Link">
        {(email) => (
          <p className="mt-6">
            <Link to={paths.signIn} state={{ ...state, email } satisfies SignInState} className="link">
              Back to Sign In
            </Link>
          </p>
        )}
      </MailedLinkForm>
    </>
  )
}
