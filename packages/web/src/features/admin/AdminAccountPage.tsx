import { type AdminAccountDetail, mayDisable, quotaAmount, quotaResources } from '@slipway/contract'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useAccount, useDisableAccount, useEnableAccount } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { accountStateText } from './account-state.ts'
import { LimitsSheet } from './LimitsSheet.tsx'
import { TwoFactorSheet } from './TwoFactorSheet.tsx'

export function Component() {
  const { accountId = '' } = useParams()
  const { data: account, isPending, error, refetch } = useAccount(accountId)
  return (
    <>
      <PageHeader
        title={account?.name ?? 'Account'}
        breadcrumb={[
          { label: 'Accounts', render: <Link to={paths.adminAccounts} /> },
          { label: account?.name ?? 'Account' },
        ]}
        actions={account && <DisableButton account={account} />}
      />
      {isPending && <LoadingState text="Loading account..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading Account"
          message={errorText(error, 'Failed to load the account. Please try again.')}
          onRetry={() => void refetch()}
        />
      )}
      {account && !error && (
        <div className="grid max-w-265 gap-5">
          {account.disabled_at !== null && (
            <Banner tone="warn">
              Disabled since {formatDateTime(account.disabled_at)}. Nobody can sign in with this account. Its
              VMs keep running.
            </Banner>
          )}
          {account.delete_at !== null && (
            <Banner tone="warn">
              Its owner is deleting it. On {formatDateTime(account.delete_at)} it is gone with all its
              projects, unless its owner keeps it. Its VMs are stopped.
            </Banner>
          )}
          <Facts account={account} />
          <TwoFactorSheet account={account} />
          <LimitsSheet key={JSON.stringify(account.own_limits)} account={account} />
        </div>
      )}
    </>
  )
}

function Facts({ account }: { account: AdminAccountDetail }) {
  const { email, created_at, last_seen_at, projects, quota } = account
  return (
    <>
      <Sheet title="Account">
        <Cells
          columns={4}
          items={[
            { label: 'Email', value: email },
            { label: 'Status', value: accountStateText(account) || 'Active' },
            { label: 'Created', value: formatDateTime(created_at) },
            { label: 'Last session', value: last_seen_at ? formatDateTime(last_seen_at) : 'None' },
          ]}
        />
      </Sheet>
      <Sheet title="Usage">
        <Cells
          columns={4}
          items={[
            { label: 'Projects', value: projects },
            ...quotaResources.map((resource) => {
              const { used, limit } = quota[resource]
              return {
                label: labels[resource],
                value:
                  limit === null
                    ? amount(resource, used)
                    : `${amount(resource, used)} of ${amount(resource, limit)}`,
              }
            }),
          ]}
        />
      </Sheet>
    </>
  )
}

const labels = {
  vms: 'VMs',
  processors: 'Processors',
  memory_mb: 'Memory',
  disk_bytes: 'Disk space',
  snapshot_bytes: 'Snapshot space',
  shares: 'Shared ports',
  bin_bytes: 'Bin',
} as const

/** Without the noun, which the label has. */
const amount = (resource: keyof typeof labels, value: number): string =>
  /^[\d.]+( GB| MB)?/.exec(quotaAmount(resource, value))?.[0] ?? ''

function DisableButton({ account }: { account: AdminAccountDetail }) {
  const { user } = useSession()
  const [asking, setAsking] = useState(false)
  const disable = useDisableAccount(account.id)
  const enable = useEnableAccount(account.id)
  const isDisabled = account.disabled_at !== null
  const confirm = useConfirmedAct({
    act: () => (isDisabled ? enable : disable).mutateAsync(),
    done: isDisabled ? 'The account is enabled' : 'The account is disabled',
    failed: `Failed to ${isDisabled ? 'enable' : 'disable'} the account.`,
    onDone: () => setAsking(false),
  })
  return (
    <>
      <Button
        aria-haspopup="dialog"
        disabledReason={isDisabled ? undefined : reasonOf(mayDisable(account, user?.id ?? ''))}
        onClick={() => setAsking(true)}
      >
        {isDisabled ? 'Enable account' : 'Disable account'}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={isDisabled ? 'Enable account' : 'Disable account'}
        confirmLabel={isDisabled ? 'Enable account' : 'Disable account'}
        busyLabel={isDisabled ? 'Enabling...' : 'Disabling...'}
        {...confirm}
      >
        {isDisabled ? (
          <p>
            <bdi>{account.name}</bdi> can sign in again.
          </p>
        ) : (
          <p>
            <bdi>{account.name}</bdi> cannot sign in any more. All sessions, consoles and SSH connections end
            at once. The VMs keep running.
          </p>
        )}
      </ConfirmDialog>
    </>
  )
}
