import { type ReactNode, useState } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { AccountForm } from './AccountForm.tsx'
import type { MailRequest } from './mailed-link.ts'
import { useAccountForm } from './use-account-form.ts'

interface MailedLinkFormProps {
  request: MailRequest
  /** Fills in the address. */
  email?: string | undefined
  hint?: string
  /** Names the form. */
  label: string
  /** What the button says. */
  submit: string
  /** Below the form, for the address that is in it. */
  children?: (email: string) => ReactNode
}

const addressMissing = ({ email }: { email: string }) =>
  email.trim() === '' ? { email: 'Please enter your email address' } : {}

/** An address, and a button that has a link mailed to it. */
export function MailedLinkForm({ request, email = '', hint, label, submit, children }: MailedLinkFormProps) {
  const [sent, setSent] = useState<string>()
  const account = useAccountForm({
    empty: { email },
    complaintsOf: addressMissing,
    // One address, which the sign-in page gets as well.
    guarded: false,
    send: ({ email }) => request.send(email.trim()),
    failureText: request.failureText,
  })
  const { form, complaints, change } = account
  const send = () => {
    if (account.pending) return
    setSent(undefined)
    account.submit({
      onSuccess: (text) => {
        setSent(text)
        // The same or another address may be sent next.
        account.reset()
      },
    })
  }
  return (
    <>
      <AccountForm
        ref={account.ref}
        label={label}
        submit={{ label: submit, busyText: 'Sending...' }}
        onSubmit={send}
        pending={account.pending}
        error={account.error}
      >
        <Field label="Email" hint={hint} error={complaints.email}>
          <TextInput
            type="email"
            name="email"
            autoComplete="username"
            value={form.email}
            onChange={(event) => change({ email: event.target.value })}
          />
        </Field>
        {sent && (
          <Banner tone="info">
            <p role="status">{sent}</p>
          </Banner>
        )}
      </AccountForm>
      {children?.(form.email)}
    </>
  )
}
