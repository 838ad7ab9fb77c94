import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { refetchSessions } from '../../api/sessions.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { newPasswordErrors } from './new-password.ts'
import { SettingsForm } from './SettingsForm.tsx'
import { useAccountForm } from './use-account-form.ts'

const empty = { password: '', confirmation: '' }

/** A new password; the call asks who it is. */
export function PasswordSection() {
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
