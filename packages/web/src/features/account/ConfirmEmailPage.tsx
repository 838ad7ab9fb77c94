import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { refreshUser, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { AccountHeading } from './AccountHeading.tsx'

/** Opened by the link that was mailed to a new address. */
export function Component() {
  const token = useSearchParams()[0].get('token')
  const { state } = useSession()
  // A query and not a mutation: effects that run twice then still post the token once.
  const confirmation = useQuery({
    queryKey: ['account.confirmEmail', token],
    queryFn: async () => {
      const answer = await call('account.confirmEmail', { body: { token: token ?? '' } })
      await refreshUser()
      return answer
    },
    enabled: Boolean(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
  const way =
    state === 'in' ? (
      <Button variant="primary" render={<Link to={paths.account} />}>
        Your Account
      </Button>
    ) : (
      <Button variant="primary" render={<Link to={paths.signIn} />}>
        Go to Sign In
      </Button>
    )
  if (token && confirmation.isPending) {
    return (
      <>
        <AccountHeading title="Confirm your new email" />
        <LoadingState text="Confirming your new email..." />
      </>
    )
  }
  if (confirmation.isSuccess) {
    return (
      <>
        <AccountHeading title="Email changed">
          You sign in with {confirmation.data.email} from now on.
        </AccountHeading>
        {way}
      </>
    )
  }
  return (
    <>
      <AccountHeading title="Confirm your new email" />
      <Banner tone="error">
        {token
          ? errorText(confirmation.error, 'The new email address could not be confirmed.')
          : 'This link is incomplete: its token is missing. Open the whole link from the email.'}
      </Banner>
      <div className="mt-6">{way}</div>
    </>
  )
}
