import type { AdminAccount } from '@slipway/contract'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { useAccounts } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { accountStateText } from './account-state.ts'

/** A text that nobody types on for so long is searched for. */
const typedMs = 250

export function Component() {
  const [text, setText] = useState('')
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), typedMs)
    return () => clearTimeout(timer)
  }, [text])
  const { accounts, loading, error, retry, more, loadingMore } = useAccounts(search)

  return (
    <>
      <PageHeader
        title="Accounts"
        description="Everybody who has an account on this installation, the newest first."
      />
      <FilterBar
        search={{
          value: text,
          onChange: setText,
          label: 'Search accounts',
          placeholder: 'Search by name or email',
        }}
        active={text !== ''}
        onClear={() => setText('')}
        shown={loading || error ? undefined : `Showing ${accounts.length}${more ? ' and more' : ''}`}
      />
      {loading && <LoadingState text="Loading accounts..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading Accounts"
          message={errorText(error, 'Failed to load accounts. Please try again.')}
          onRetry={retry}
        />
      )}
      {!loading && !error && accounts.length === 0 && (
        <EmptyState title="No account found">No name or email contains "{search}".</EmptyState>
      )}
      {accounts.length > 0 && !error && (
        <ul className="sheet divide-y divide-line">
          {accounts.map((account) => (
            <AccountRow key={account.id} account={account} />
          ))}
        </ul>
      )}
      {more && !error && (
        <Button className="mt-4" busy={loadingMore} busyText="Loading..." onClick={more}>
          Show more
        </Button>
      )}
    </>
  )
}

function AccountRow({ account }: { account: AdminAccount }) {
  const { id, name, email, vms, projects } = account
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_11rem_8rem] md:items-center">
      <h2 className="min-w-0 text-body font-[550] wrap-anywhere">
        <Link
          to={paths.adminAccount(id)}
          className="text-ink no-underline hover:text-accent hover:underline phone:block phone:py-2.5"
        >
          <bdi>{name}</bdi>
        </Link>
      </h2>
      <p className="min-w-0 text-dense wrap-anywhere text-ink-2">{email}</p>
      <p className="text-dense">{accountStateText(account)}</p>
      <p className="text-dense text-ink-2">
        {projects} {projects === 1 ? 'project' : 'projects'}, {vms} {vms === 1 ? 'VM' : 'VMs'}
      </p>
    </li>
  )
}
