import { isEmail } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ApiError, call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { SignedOutOnly } from '../../shell/guards.tsx'
import { readSignInState, type SignInState } from '../../shell/sign-in-state.ts'
import { useLeadOn } from '../../shell/use-lead-on.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { HintLine } from './HintLine.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { blankDraft, type Draft, type DraftErrors, errorsOf, toBody } from './sign-up.ts'

const toSignInMs = 2000

export function Component() {
  const [draft, setDraft] = useState(blankDraft)
  const attempt = useMutation({
    mutationFn: (body: ReturnType<typeof toBody>) => call('account.signUp', { body }),
  })
  // A visitor who has an account already goes on to the sign-in page, with the address filled in.
  const { from } = readSignInState(useLocation().state)
  const state: SignInState = { ...(from ? { from } : {}), email: attempt.variables?.email ?? '' }
  useLeadOn(paths.signIn, isTaken(attempt.error) ? toSignInMs : null, state)
  return (
    <SignedOutOnly>
      {attempt.isSuccess ? (
        <CheckYourEmail state={state} onBack={attempt.reset} />
      ) : (
        <SignUpForm
          draft={draft}
          onChange={setDraft}
          busy={attempt.isPending}
          error={attempt.error}
          onSubmit={() => attempt.mutate(toBody(draft))}
        />
      )}
    </SignedOutOnly>
  )
}

function isTaken(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 409
}

interface SignUpFormProps {
  draft: Draft
  onChange: (draft: Draft) => void
  busy: boolean
  error: Error | null
  onSubmit: () => void
}

function SignUpForm({ draft, onChange, busy, error, onSubmit }: SignUpFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<DraftErrors>({})
  const taken = isTaken(error)
  const obstacle = taken
    ? 'An account with this address exists.'
    : draft.agreed
      ? undefined
      : 'Agree to the Terms of Service and the Privacy Policy first.'

  const set = (change: Partial<Draft>) => {
    onChange({ ...draft, ...change })
    // A complaint lasts until its field changes.
    setErrors(Object.fromEntries(Object.entries(errors).filter(([field]) => !(field in change))))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy || taken || !draft.agreed) return
    const found = errorsOf(draft)
    setErrors(found)
    const first = Object.keys(found)[0]
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
    else onSubmit()
  }
  return (
    // Our own sentences in place of the browser's: the texts are part of the product.
    <form ref={form} noValidate onSubmit={submit} className="space-y-4">
      <AccountHeading title="Create your account">
        You confirm your email address before you sign in for the first time.
      </AccountHeading>
      {error && (
        <Banner tone="error">
          <p>
            {errorText(error, 'Failed to create account.', {
              400: 'Invalid signup data. Please check your information.',
              409: 'An account with this email already exists',
              '5xx': 'Server error. Please try again later.',
              other: 'Signup failed',
            })}
          </p>
          {taken && <p className="text-ink-2">Taking you to the sign-in page...</p>}
        </Banner>
      )}
      <div className="grid items-start gap-x-3 gap-y-4 sm:grid-cols-2">
        <Field label="First name" error={errors.firstName}>
          <TextInput
            name="firstName"
            autoComplete="given-name"
            maxLength={100}
            required
            value={draft.firstName}
            onChange={(event) => set({ firstName: event.target.value })}
          />
        </Field>
        <Field label="Last name" error={errors.lastName}>
          <TextInput
            name="lastName"
            autoComplete="family-name"
            maxLength={100}
            required
            value={draft.lastName}
            onChange={(event) => set({ lastName: event.target.value })}
          />
        </Field>
      </div>
      <Field
        label="Email"
        error={errors.email}
        hint={isEmail(draft.email) && <HintLine good>Valid email format</HintLine>}
      >
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          value={draft.email}
          onChange={(event) => set({ email: event.target.value })}
        />
      </Field>
      <NewPasswordFields value={draft} onChange={set} errors={errors} />
      <Checkbox
        name="agreed"
        required
        className="py-1.5"
        checked={draft.agreed}
        onCheckedChange={(agreed) => set({ agreed })}
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
      <div>
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="w-full"
          busy={busy}
          busyText="Creating account..."
          disabledReason={obstacle}
        >
          Sign Up
        </Button>
        {/* For the eyes; the button says the same to assistive technology. */}
        {obstacle && (
          <p aria-hidden="true" className="mt-1.5 text-hint text-ink-2">
            {obstacle}
          </p>
        )}
      </div>
    </form>
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
