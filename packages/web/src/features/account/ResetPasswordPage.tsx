import { Link, useSearchParams } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { letThrough } from '../../shell/unsaved.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { AccountForm } from './AccountForm.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { newPasswordErrors } from './new-password.ts'
import { useAccountForm } from './use-account-form.ts'

const title = 'Choose a new password'

export function Component() {
  const token = useSearchParams()[0].get('token')
  const account = useAccountForm({
    empty: { password: '', confirmation: '' },
    complaintsOf: newPasswordErrors,
    guarded: true,
    send: ({ password }) => call('account.resetPassword', { body: { token: token ?? '', password } }),
    failureText: (error) => errorText(error, 'Failed to change the password.'),
  })

  if (account.done) {
    return (
      <>
        <AccountHeading title="Password changed">
          You were signed out everywhere. Sign in with your new password.
        </AccountHeading>
        <Button variant="primary" render={<Link to={paths.signIn} />}>
          Go to Sign In
        </Button>
      </>
    )
  }
  if (!token) {
    return (
      <>
        <AccountHeading title={title} />
        <Banner tone="error">This link is incomplete: its token is missing. Request a new link.</Banner>
        <NewLink />
      </>
    )
  }
  return (
    <>
      <AccountHeading title={title} />
      <AccountForm
        ref={account.ref}
        label={title}
        submit={{ label: 'Change Password', busyText: 'Saving...' }}
        onSubmit={account.submit}
        pending={account.pending}
        error={account.error}
      >
        <NewPasswordFields
          label="New password"
          value={account.form}
          errors={account.complaints}
          onChange={account.change}
        />
      </AccountForm>
      {account.error && <NewLink />}
    </>
  )
}

/** It says that another link begins anew, so nothing is asked. */
function NewLink() {
  return (
    <p className="mt-6">
      <Link to={paths.forgotPassword} className="link" onClick={letThrough}>
        Send a new reset link
      </Link>
    </p>
  )
}
