import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { refetchSessions } from '../../api/sessions.ts'
import { Field, PasswordInput } from '../../ui/Field.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { newPasswordErrors } from './new-password.ts'
import { SettingsForm } from './SettingsForm.tsx'
import { useAccountForm } from './use-account-form.ts'

const empty = { current: '', password: '', confirmation: '' }

/** A new password for somebody who knows the old one. */
export function PasswordSection() {
  const account = useAccountForm({
    empty,
    complaintsOf: (form) => ({
      ...(form.current ? {} : { current: 'Please enter your current password' }),
      ...newPasswordErrors(form),
    }),
    guarded: true,
    send: ({ current, password }) =>
      call('account.changePassword', { body: { current_password: current, password } }),
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
        <Field label="Current password" error={account.complaints.current}>
          <PasswordInput
            name="current"
            autoComplete="current-password"
            value={account.form.current}
            onChange={({ target }) => account.change({ current: target.value })}
          />
        </Field>
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
