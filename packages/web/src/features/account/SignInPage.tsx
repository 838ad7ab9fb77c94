import type { CodeNeeded } from '@slipway/contract'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { signIn } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { announce } from '../../shell/announce.ts'
import { SignedOutOnly } from '../../shell/guards.tsx'
import {
  readSignInState,
  type SignInReason,
  type SignInState,
  sharedPortAsked,
} from '../../shell/sign-in-state.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, PasswordInput, TextInput } from '../../ui/Field.tsx'
import { ProviderButtons } from '../oidc/ProviderButtons.tsx'
import { VisitNote } from '../oidc/VisitNote.tsx'
import { PasskeyButton } from '../passkey/PasskeyButton.tsx'
import { AccountForm } from './AccountForm.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { CodeForm } from './CodeForm.tsx'
import { verificationMail } from './mailed-link.ts'
import { type Complaints, useAccountForm } from './use-account-form.ts'

export function Component() {
  const [pending, setPending] = useState<CodeNeeded['code_needed']>()
  return (
    <SignedOutOnly>
      <AccountHeading title="Sign in" />
      <WhyHere />
      <VisitNote className="mb-4" />
      {pending ? (
        <CodeForm token={pending.token} onBack={() => setPending(undefined)} />
      ) : (
        <SignInForm onCodeNeeded={setPending} />
      )}
      <p className="mt-6">
        <Link to={paths.home} className="link">
          Back to Home
        </Link>
      </p>
    </SignedOutOnly>
  )
}

const reasons: Record<SignInReason, string> = {
  ended: 'Your session has ended. Sign in to go back to where you were.',
  required: 'Sign in to open this page.',
}

/** Why a visitor who wanted to go elsewhere is here. */
function WhyHere() {
  const { state, search } = useLocation()
  const reason = sharedPortAsked(search) === null ? readSignInState(state).reason : 'required'
  const text = reason && reasons[reason]
  useEffect(() => {
    if (text) announce(text)
  }, [text])
  if (!text) return null
  return (
    <Banner tone="info" className="mb-4">
      {text}
    </Banner>
  )
}

interface Credentials {
  email: string
  password: string
  remember: boolean
}

const complaintsOf = ({ email, password }: Credentials): Complaints<Credentials> => ({
  ...(email.trim() ? {} : { email: 'Please enter your email address' }),
  ...(password ? {} : { password: 'Please enter your password' }),
})

function SignInForm({ onCodeNeeded }: { onCodeNeeded: (pending: CodeNeeded['code_needed']) => void }) {
  const location = useLocation()
  const state = readSignInState(location.state)
  const account = useAccountForm({
    empty: { email: state.email ?? '', password: '', remember: false },
    complaintsOf,
    // The browser fills it in, and the address goes along to the pages that the links lead to.
    guarded: false,
    send: async ({ email, password, remember }) => {
      const answer = await call('account.signIn', { body: { email, password, remember_me: remember } })
      if ('code_needed' in answer) return onCodeNeeded(answer.code_needed)
      const { user } = answer
      if (!user?.id) throw new Error('The answer names no user')
      // The guard around the form then leads on to where the visitor came from.
      signIn(user, answer)
    },
    failureText: (error) =>
      errorText(error, 'Failed to sign in.', {
        401: 'Invalid email or password',
        403: 'Account access denied',
        '5xx': 'Server error. Please try again later.',
        other: 'Login failed',
      }),
  })
  const { form, complaints, change, error } = account
  return (
    <>
      <AccountForm
        ref={account.ref}
        label="Sign in"
        submit={{ label: 'Sign In', busyText: 'Signing in...' }}
        onSubmit={account.submit}
        pending={account.pending}
        error={error}
      >
        <Field label="Email" error={complaints.email}>
          <TextInput
            type="email"
            name="email"
            autoComplete="username"
            required
            value={form.email}
            onChange={(event) => change({ email: event.target.value })}
          />
        </Field>
        <Field
          label="Password"
          error={complaints.password}
          aside={
            <Link
              to={paths.forgotPassword}
              state={{ ...state, email: form.email } satisfies SignInState}
              className="link text-hint"
            >
              Forgot password?
            </Link>
          }
        >
          <PasswordInput
            name="password"
            autoComplete="current-password"
            required
            value={form.password}
            onChange={(event) => change({ password: event.target.value })}
          />
        </Field>
        <Checkbox
          label="Remember me"
          checked={form.remember}
          onCheckedChange={(remember) => change({ remember })}
        />
      </AccountForm>
      <ProviderButtons
        remember={form.remember}
        from={state.from ?? sharedPortAsked(location.search) ?? undefined}
      />
      <PasskeyButton remember={form.remember} />
      {error && /verify|unverified/i.test(error) && <ResendBlock email={form.email.trim()} />}
    </>
  )
}

function ResendBlock({ email }: { email: string }) {
  const [outcome, setOutcome] = useState<string>()
  const [missing, setMissing] = useState(false)
  // No form of its own: the address is the one above.
  const shell = useFormShell({ dirty: false, ...verificationMail })
  const send = () => {
    setMissing(email === '')
    if (email === '') return
    void shell.submit(email, {
      onSuccess: (text) => {
        setOutcome(text)
        shell.reset()
      },
    })
  }
  const problem = missing ? 'Please enter your email address first' : shell.error
  return (
    <Banner tone="info" className="mt-4">
      {problem ? (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      ) : (
        <p role="status">{outcome ?? 'Did you not get the verification email?'}</p>
      )}
      <Button size="sm" className="mt-2" busy={shell.pending} busyText="Sending..." onClick={send}>
        Resend verification email
      </Button>
    </Banner>
  )
}
