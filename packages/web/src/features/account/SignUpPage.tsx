import { isEmail, signUpCondition } from '@slipway/contract'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ApiError, call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useIsSignUpOffered, useSignUpRule } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { SignedOutOnly } from '../../shell/guards.tsx'
import { readSignInState, type SignInState } from '../../shell/sign-in-state.ts'
import { useLeadOn } from '../../shell/use-lead-on.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { AccountForm } from './AccountForm.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { HintLine } from './HintLine.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { blankDraft, type Draft, errorsOf, toBody } from './sign-up.ts'
import { type Complaints, useAccountForm } from './use-account-form.ts'

const title = 'Create your account'
const toSignInMs = 2000

export function Component() {
  return <SignedOutOnly>{useIsSignUpOffered() ? <SignUp /> : <Closed />}</SignedOutOnly>
}

function Closed() {
  const condition = signUpCondition(useSignUpRule())
  const { state } = useLocation()
  return (
    <>
      <AccountHeading title={title}>{condition}</AccountHeading>
      <Button variant="primary" render={<Link to={paths.signIn} state={state} />}>
        Go to Sign In
      </Button>
    </>
  )
}

function SignUp() {
  const condition = signUpCondition(useSignUpRule())
  /** The address that has an account already. Its owner goes on to the sign-in page, with it filled in. */
  const [taken, setTaken] = useState<string>()
  const account = useAccountForm({
    empty: blankDraft,
    complaintsOf: errorsOf,
    guarded: taken === undefined,
    send: (draft: Draft) => call('account.signUp', { body: toBody(draft) }),
    failureText: (error) =>
      errorText(error, 'Failed to create account.', {
        400: 'Invalid signup data. Please check your information.',
        409: 'An account with this email already exists',
        '5xx': 'Server error. Please try again later.',
        other: 'Signup failed',
      }),
  })
  const { form, complaints, change } = account
  const { from } = readSignInState(useLocation().state)
  const state: SignInState = { ...(from ? { from } : {}), email: taken ?? toBody(form).email }
  useLeadOn(paths.signIn, taken === undefined ? null : toSignInMs, state)

  const note =
    taken !== undefined
      ? 'An account with this address exists. Taking you to the sign-in page...'
      : form.agreed
        ? undefined
        : 'Agree to the Terms of Service and the Privacy Policy first.'
  const submit = () => {
    if (note) return
    account.submit({
      onFailure: (error) => {
        if (error instanceof ApiError && error.status === 409) setTaken(toBody(form).email)
      },
    })
  }
  return account.done ? (
    <CheckYourEmail state={state} onBack={account.reset} />
  ) : (
    <>
      <AccountHeading title={title}>
        {condition} You confirm your email address before you sign in for the first time.
      </AccountHeading>
      <AccountForm
        ref={account.ref}
        label={title}
        submit={{ label: 'Sign Up', busyText: 'Creating account...' }}
        onSubmit={submit}
        pending={account.pending}
        note={note}
        error={account.error}
      >
        <SignUpFields draft={form} onChange={change} complaints={complaints} />
      </AccountForm>
    </>
  )
}

interface SignUpFieldsProps {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  complaints: Complaints<Draft>
}

function SignUpFields({ draft, onChange, complaints }: SignUpFieldsProps) {
  return (
    <>
      <div className="grid items-start gap-x-3 gap-y-4 sm:grid-cols-2">
        <Field label="First name" error={complaints.firstName}>
          <TextInput
            name="firstName"
            autoComplete="given-name"
            maxLength={100}
            required
            value={draft.firstName}
            onChange={(event) => onChange({ firstName: event.target.value })}
          />
        </Field>
        <Field label="Last name" error={complaints.lastName}>
          <TextInput
            name="lastName"
            autoComplete="family-name"
            maxLength={100}
            required
            value={draft.lastName}
            onChange={(event) => onChange({ lastName: event.target.value })}
          />
        </Field>
      </div>
      <Field
        label="Email"
        error={complaints.email}
        hint={isEmail(draft.email) && <HintLine good>Valid email format</HintLine>}
      >
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          value={draft.email}
          onChange={(event) => onChange({ email: event.target.value })}
        />
      </Field>
      <NewPasswordFields value={draft} onChange={onChange} errors={complaints} />
      <Checkbox
        name="agreed"
        required
        className="py-1.5"
        checked={draft.agreed}
        onCheckedChange={(agreed) => onChange({ agreed })}
        label={
          <>
            I agree to the{' '}
            <a href={paths.terms} target="_blank" rel="noreferrer" className="link">
              Terms of Service
            </a>{' '}
            and the{' '}
            <a href={paths.privacy} target="_blank" rel="noreferrer" className="link">
              Privacy Policy
            </a>
          </>
        }
      />
    </>
  )
}

function CheckYourEmail({ state, onBack }: { state: SignInState; onBack: () => void }) {
  return (
    <>
      <AccountHeading title="Check Your Email">
        A verification link is on its way to <b className="font-[550] text-ink">{state.email}</b>. Open it to
        finish signing up.
      </AccountHeading>
      <div className="flex flex-wrap gap-2 phone:[&>*]:flex-1">
        <Button variant="primary" render={<Link to={paths.signIn} state={state} />}>
          Go to Sign In
        </Button>
        <Button onClick={onBack}>Back to Sign Up</Button>
      </div>
    </>
  )
}
