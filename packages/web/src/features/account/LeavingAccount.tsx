import { useAccountDeletion, useKeepAccount } from '../../api/account-deletion.ts'
import { errorText } from '../../api/errors.ts'
import { signOut, useSession } from '../../api/session.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { goesAlongText } from './deletion-words.ts'

/** All that somebody sees who signed in to an account that is being deleted. */
export function LeavingAccount() {
  const { user } = useSession()
  const { data } = useAccountDeletion()
  const keeping = useKeepAccount()
  if (!user?.delete_at) return null
  const lost = data && goesAlongText(data.goes_along)
  return (
    <div className="mx-auto w-full max-w-104 px-4 pt-7">
      <AccountHeading title="Your account is being deleted">
        On <b className="font-[550] text-ink">{formatDateTime(user.delete_at)}</b> it is deleted for good
        {lost ? `, with ${lost}` : ''}. Until then everything is stopped, and nothing is lost.
      </AccountHeading>
      {keeping.isError && (
        <Banner tone="error" className="mb-4">
          {errorText(keeping.error, 'Failed to keep the account.')}
        </Banner>
      )}
      <div className="flex flex-wrap gap-2 phone:[&>*]:flex-1">
        <Button
          variant="primary"
          busy={keeping.isPending}
          busyText="Keeping..."
          onClick={() => keeping.mutate()}
        >
          Keep My Account
        </Button>
        <Button onClick={() => void signOut()}>Sign Out</Button>
      </div>
    </div>
  )
}
