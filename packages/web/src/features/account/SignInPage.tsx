import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { signIn } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { announce } from '../../shell/announce.ts'
import { SignedOutOnly } from '../../shell/guards.tsx'
import { readSignInState, type SignInReason, type SignInState } from '../../shell/sign-in-state.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, PasswordInput, TextInput } from '../../ui/Field.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { useResend } from './mailed-link.ts'

export function Component() {
  return (
    <SignedOutOnly>
      <AccountHeading title="Sign in" />
      <WhyHere />
      <SignInForm />
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
  const { reason } = readSignInState(useLocation().state)
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

function SignInForm() {
  const state = readSignInState(useLocation().state)
  const [email, setEmail] = useState(state.email ?? '')
  const [password, setPassword] = useState('')
  const [remember, setRemember] = useState(false)
  const attempt = useMutation({
    mutationFn: async () => {
      const answer = await call('account.signIn', { body: { email, password, remember_me: remember } })
      const { user } = answer
      if (!user?.id) throw new Error('The answer names no user')
      // The guard around the form then leads on to where the visitor came from.
      signIn(user, answer)
    },
  })
  const error = attempt.isError
    ? errorText(attempt.error, 'Failed to sign in.', {
        401: 'Invalid email or password',
        403: 'Account access denied',
        '5xx': 'Server error. Please try again later.',
        other: 'Login failed',
      })
    : null

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!attempt.isPending) attempt.mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      {error && <Banner tone="error">{error}</Banner>}
      {error && /verify|unverified/i.test(error) && <ResendBlock email={email} />}
      <Field label="Email">
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field
        label="Password"
        aside={
          <Link
            to={paths.forgotPassword}
            state={{ ...state, email } satisfies SignInState}
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
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <Checkbox label="Remember me" checked={remember} onCheckedChange={setRemember} />
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="w-full"
        busy={attempt.isPending}
        busyText="Signing in..."
      >
        Sign In
      </Button>
    </form>
  )
}

function ResendBlock({ email }: { email: string }) {
  const { ask, asking, outcome } = useResend()
  const [missing, setMissing] = useState(false)
  const send = () => {
    const address = email.trim()
    setMissing(address === '')
    if (address) ask(address)
  }
  const problem = missing ? 'Please enter your email address first' : !outcome?.sent && outcome?.text
  return (
    <Banner tone="info">
      {problem ? (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      ) : (
        <p role="status">{outcome ? outcome.text : 'Did you not get the verification email?'}</p>
      )}
      <Button size="sm" className="mt-2" busy={asking} busyText="Sending..." onClick={send}>
        Resend verification email
      </Button>
    </Banner>
  )
}
