import { accountApi } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { readSignInState } from '../../shell/sign-in-state.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { AccountHeading } from './AccountHeading.tsx'

export function Component() {
  const [email, setEmail] = useState(readSignInState(useLocation().state).email ?? '')
  const [missing, setMissing] = useState(false)
  const request = useMutation({
    mutationFn: (address: string) => call(accountApi.forgotPassword, { body: { email: address } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    setMissing(address === '')
    if (address && !request.isPending) request.mutate(address)
  }
  return (
    <>
      <AccountHeading title="Forgot your password?">
        Enter the e-mail address of your account. You get a link to choose a new password.
      </AccountHeading>
      <form noValidate onSubmit={submit} className="space-y-4">
        {request.isError && (
          <Banner tone="error">{errorText(request.error, 'Failed to send the reset link.')}</Banner>
        )}
        {request.isSuccess && (
          <Banner tone="info">
            <p role="status">{request.data.message}</p>
          </Banner>
        )}
        <Field label="E-mail" error={missing ? 'Please enter your email address' : undefined}>
          <TextInput
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => {
              setEmail(event.target.value)
              setMissing(false)
            }}
          />
        </Field>
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="w-full"
          busy={request.isPending}
          busyText="Sending..."
        >
          Send Reset Link
        </Button>
      </form>
      <p className="mt-6">
        <Link to={paths.signIn} state={{ email }} className="link">
          Back to Sign In
        </Link>
      </p>
    </>
  )
}
