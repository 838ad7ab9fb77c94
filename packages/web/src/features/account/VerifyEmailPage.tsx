import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { ApiError, call } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import type { SignInState } from '../../shell/sign-in-state.ts'
import { useLeadOn } from '../../shell/use-lead-on.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { MailedLinkForm } from './MailedLinkForm.tsx'
import { verificationMail } from './mailed-link.ts'

const toSignInMs = 3000

export function Component() {
  const token = useSearchParams()[0].get('token')
  // A query and not a mutation: effects that run twice then still post the token once.
  const verification = useQuery({
    queryKey: ['account.verifyEmail', token],
    queryFn: async () => {
      const answer = await call('account.verifyEmail', { body: { token: token ?? '' } })
      return { email: answer?.email ?? '' }
    },
    enabled: Boolean(token),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
  if (token && verification.isPending) {
    return (
      <>
        <AccountHeading title="Verify your email" />
        <LoadingState text="Verifying your email..." />
      </>
    )
  }
  if (verification.isSuccess) return <Verified email={verification.data.email} />
  const expired = verification.error instanceof ApiError && verification.error.status === 400
  return (
    <>
      <AccountHeading title="Verify your email" />
      <Banner tone={expired ? 'warn' : 'error'}>
        {expired ? (
          <p role="alert">Your verification link has expired.</p>
        ) : (
          "Verification Failed: We couldn't verify your email. The link may be invalid or expired."
        )}
      </Banner>
      <NewLink />
    </>
  )
}

function NewLink() {
  return (
    <div className="mt-6">
      <MailedLinkForm
        label="New link"
        request={verificationMail}
        hint="A new link goes to this address."
        submit="Resend verification email"
      />
    </div>
  )
}

function Verified({ email }: { email: string }) {
  const state: SignInState = { email }
  useLeadOn(paths.signIn, toSignInMs, state)
  return (
    <>
      <AccountHeading title="Email verified">
        Your address is confirmed. The sign-in page opens in a moment.
      </AccountHeading>
      <Button variant="primary" render={<Link to={paths.signIn} state={state} />}>
        Go to Sign In
      </Button>
    </>
  )
}
