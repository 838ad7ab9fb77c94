import { totpTexts } from '@slipway/contract'
import { useEffect, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { signIn } from '../../api/session.ts'
import { announce } from '../../shell/announce.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { AccountForm } from './AccountForm.tsx'
import { useAccountForm } from './use-account-form.ts'

const hint = 'Enter the 6 digits that your authenticator app shows, or one of your recovery codes.'

/** The second step of a sign-in whose password was right. */
export function CodeForm({ token, onBack }: { token: string; onBack: () => void }) {
  const [isOver, setOver] = useState(false)
  const account = useAccountForm({
    empty: { code: '' },
    complaintsOf: ({ code }) => (code.trim() ? {} : { code: totpTexts.codeMissing }),
    guarded: false,
    send: async ({ code }) => {
      const answer = await call('account.signInWithCode', { body: { token, code } })
      // The guard around the form then leads on to where the visitor came from.
      signIn(answer.user, answer)
    },
    failureText: (error) => errorText(error, 'Failed to sign in.'),
  })
  const { ref } = account
  useEffect(() => {
    ref.current?.querySelector('input')?.focus()
    announce(hint)
  }, [ref])
  return (
    <>
      <AccountForm
        ref={ref}
        label="Enter a code"
        submit={{ label: 'Sign In', busyText: 'Signing in...' }}
        onSubmit={() =>
          account.submit({
            onFailure: (error) => setOver(error instanceof ApiError && error.status === 403),
          })
        }
        pending={account.pending}
        error={account.error}
        note={isOver ? 'Go back and enter your password again' : undefined}
      >
        <Field label="Code" error={account.complaints.code} hint={hint}>
          <TextInput
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
            value={account.form.code}
            onChange={({ target }) => account.change({ code: target.value })}
          />
        </Field>
      </AccountForm>
      <Button className="mt-4" onClick={onBack}>
        Back
      </Button>
    </>
  )
}
