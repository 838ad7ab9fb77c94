import { Link } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useSignUpRule } from '../../api/host.ts'
import { useIdentities } from '../../api/identities.ts'
import { useSession } from '../../api/session.ts'
import { refetchSessions } from '../../api/sessions.ts'
import { paths } from '../../paths.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { newPasswordErrors } from './new-password.ts'
import { SettingsForm } from './SettingsForm.tsx'
import { useAccountForm } from './use-account-form.ts'

const empty = { password: '', confirmation: '' }

/** A new password; the call asks who it is. */
export function PasswordSection() {
  return useIdentities().hasPassword ? <NewPassword /> : <NoPassword />
}

/** Whoever is signed in by a provider proves by email that the account is theirs. */
function NoPassword() {
  const { user } = useSession()
  const isOffered = useSignUpRule().policy !== 'oidc'
  return (
    <Sheet aria-label="Password" title="Password">
      <p className="px-4 py-3 text-ink-2">
        Your account has no password: a provider signs you in.
        {isOffered && (
          <>
            {' '}
            To set one,{' '}
            <Link to={paths.forgotPassword} state={{ email: user?.email }} className="link">
              request a password link
            </Link>
            .
          </>
        )}
      </p>
    </Sheet>
  )
}

function NewPassword() {
  const account = useAccountForm({
    empty,
    complaintsOf: newPasswordErrors,
    guarded: true,
    send: ({ password }) => call('account.changePassword', { body: { password } }),
    failureText: (error) => errorText(error, 'Failed to change the password.'),
  })
  return (
    <Sheet aria-label="Password" title="Password">
      <SettingsForm
        ref={account.ref}
        label="Password"
        submit={{ label: 'Change Password', busyText: 'Saving...' }}
        onSubmit={() =>
          account.submit({
            onSuccess: () => {
              toast.success('Password changed. All other sessions were signed out.')
              account.reset()
              account.change(empty)
              refetchSessions()
            },
          })
        }
        pending={account.pending}
        error={account.error}
      >
        <NewPasswordFields
          label="New password"
          value={account.form}
          errors={account.complaints}
          onChange={account.change}
        />
      </SettingsForm>
    </Sheet>
  )
}
