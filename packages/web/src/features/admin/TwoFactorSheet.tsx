import { type AdminAccountDetail, mayRemoveTotp } from '@slipway/contract'
import { useState } from 'react'
import { useRemoveTotpOf } from '../../api/admin.ts'
import { useSession } from '../../api/session.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Sheet } from '../../ui/Sheet.tsx'

/** The second factor of an account, for when its owner has lost it. */
export function TwoFactorSheet({ account }: { account: AdminAccountDetail }) {
  const { user } = useSession()
  const [asking, setAsking] = useState(false)
  const removal = useRemoveTotpOf(account.id)
  const confirm = useConfirmedAct({
    act: () => removal.mutateAsync(),
    done: 'Two-factor authentication is off',
    failed: 'Failed to turn off two-factor authentication.',
    onDone: () => setAsking(false),
  })
  const since = account.two_factor_since
  return (
    <Sheet
      title="Two-factor authentication"
      actions={
        <Button
          size="sm"
          aria-haspopup="dialog"
          disabledReason={reasonOf(mayRemoveTotp(account, user?.id ?? ''))}
          onClick={() => setAsking(true)}
        >
          Turn off
        </Button>
      }
    >
      <p className="px-4 py-3 text-ink-2">{since ? `On since ${formatDateTime(since)}.` : 'Off.'}</p>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Turn off two-factor authentication"
        confirmLabel="Turn off"
        busyLabel="Turning off..."
        {...confirm}
      >
        <p>
          For somebody who lost both the app and the recovery codes. Make sure that it is{' '}
          <b>
            <bdi>{account.name}</bdi>
          </b>{' '}
          who asks, and not by email: the password alone signs in then. All sessions of the account end, and
          an email tells its owner.
        </p>
      </ConfirmDialog>
    </Sheet>
  )
}
