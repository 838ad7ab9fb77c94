import { accountApi } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { ApiError, call } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { useResend } from './resend.ts'

const toSignInMs = 3000

export function Component() {
  const token = useSearchParams()[0].get('token')
  // A query and not a mutation: effects that run twice then still post the token once.
  const verification = useQuery({
    queryKey: [accountApi.verifyEmail.id, token],
    queryFn: async () => (await call(accountApi.verifyEmail, { body: { token: token ?? '' } })).message,
    enabled: Boolean(token),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
  if (token && verification.isPending) {
    return (
      <>
        <AccountHeading title="Verify your e-mail" />
        <LoadingState text="Verifying your email..." />
      </>
    )
  }
  if (verification.isSuccess) return <Verified />
  const expired = verification.error instanceof ApiError && verification.error.status === 400
  return (
    <>
      <AccountHeading title="Verify your e-mail" />
      <Banner tone={expired ? 'warn' : 'error'}>
        {expired ? (
          <p role="alert">Your verification link has expired.</p>
        ) : (
          "Verification Failed: We couldn't verify your email. The link may be invalid or expired."
        )}
      </Banner>
      <ResendForm />
    </>
  )
}

function Verified() {
  const navigate = useNavigate()
  useEffect(() => {
    const timer = setTimeout(() => void navigate(paths.signIn), toSignInMs)
    return () => clearTimeout(timer)
  }, [navigate])
  return (
    <>
      <AccountHeading title="E-mail verified">
        Your address is confirmed. The sign-in page opens in a moment.
      </AccountHeading>
      <Button variant="primary" render={<Link to={paths.signIn} />}>
        Go to Sign In
      </Button>
    </>
  )
}

function ResendForm() {
  const { resend, sending, result } = useResend()
  const [email, setEmail] = useState('')
  const [missing, setMissing] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    setMissing(address === '')
    if (address && !sending) resend(address)
  }
  const error = missing ? 'Please enter your email address' : result?.sent === false ? result.text : undefined
  return (
    <form noValidate onSubmit={submit} className="mt-6 space-y-4">
      <Field label="E-mail" hint="A new link goes to this address." error={error}>
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
      {result?.sent && (
        <Banner tone="info">
          <p role="status">{result.text}</p>
        </Banner>
      )}
      <Button type="submit" variant="primary" busy={sending} busyText="Sending...">
        Resend verification email
      </Button>
    </form>
  )
}
