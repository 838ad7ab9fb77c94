import { accountTexts, isEmail, type Me } from '@slipway/contract'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { changeUser, useSession } from '../../api/session.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Field, NameInput, TextInput } from '../../ui/Field.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { SettingsForm } from './SettingsForm.tsx'
import { useAccountForm } from './use-account-form.ts'

/** The name and the email address of the user. */
export function ProfileSection() {
  const { user } = useSession()
  if (!user) return null
  return (
    <Sheet aria-label="Profile" title="Profile">
      <NameForm key={user.name} user={user} />
      <div className="border-t border-line">
        <EmailForm key={user.email} user={user} />
      </div>
    </Sheet>
  )
}

function NameForm({ user }: { user: Me }) {
  const account = useAccountForm({
    empty: { name: user.name },
    complaintsOf: ({ name }) => (name.trim() ? {} : { name: accountTexts.nameMissing }),
    guarded: true,
    send: ({ name }) => call('account.update', { body: { name } }),
    failureText: (error) => errorText(error, 'Failed to change the name.'),
  })
  return (
    <SettingsForm
      ref={account.ref}
      label="Name"
      submit={{ label: 'Change Name', busyText: 'Saving...' }}
      onSubmit={() =>
        account.submit({
          onSuccess: (changed) => {
            toast.success('Name changed')
            account.reset()
            changeUser(changed)
          },
        })
      }
      pending={account.pending}
      error={account.error}
    >
      <Field label="Name" error={account.complaints.name}>
        <NameInput
          name="name"
          autoComplete="name"
          value={account.form.name}
          onChange={({ target }) => account.change({ name: target.value })}
        />
      </Field>
    </SettingsForm>
  )
}

function EmailForm({ user }: { user: Me }) {
  const [sentTo, setSentTo] = useState<string>()
  const empty = { email: '' }
  const account = useAccountForm({
    empty,
    complaintsOf: ({ email }) => (isEmail(email) ? {} : { email: accountTexts.invalidEmail }),
    guarded: true,
    send: (body) => call('account.changeEmail', { body }),
    failureText: (error) => errorText(error, 'Failed to change the email address.'),
  })
  return (
    <SettingsForm
      ref={account.ref}
      label="Email"
      submit={{ label: 'Change Email', busyText: 'Sending...' }}
      onSubmit={() =>
        account.submit({
          onSuccess: () => {
            setSentTo(account.form.email.trim())
            account.reset()
            account.change(empty)
          },
        })
      }
      pending={account.pending}
      error={account.error}
    >
      <p className="text-ink-2 wrap-anywhere">
        Your email address is <b className="font-[550] text-ink">{user.email}</b>.
      </p>
      {sentTo && (
        <Banner tone="info">
          <p role="status">
            Open the link that was sent to {sentTo}. Until then your address stays as it is.
          </p>
        </Banner>
      )}
      <Field label="New email" error={account.complaints.email}>
        <TextInput
          type="email"
          name="email"
          autoComplete="email"
          value={account.form.email}
          onChange={({ target }) => account.change({ email: target.value })}
        />
      </Field>
    </SettingsForm>
  )
}
