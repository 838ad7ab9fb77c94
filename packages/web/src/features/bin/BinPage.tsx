import { type BinItem, binDaysText, binNouns } from '@slipway/contract'
import { useDeferredValue, useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useBin } from '../../api/bin.ts'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useQuota } from '../../api/quotas.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { objectIcons } from '../../shell/object-icons.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { later } from '../../ui/later.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { binDialogs } from './bin-dialogs.ts'
import { alongText, binUseText, kindText, shownItems, sizeText } from './bin-words.ts'
import { DeletedRow, deletedColumns } from './DeletedRow.tsx'
import { DeleteForGoodDialog } from './DeleteForGoodDialog.tsx'
import { undo } from './tell-deleted.ts'

const EmptyBinDialog = later(async () => (await import('./EmptyBinDialog.tsx')).EmptyBinDialog, {
  close: ({ onClose }: { onClose: () => void }) => onClose(),
})

const { name, deleted, keptUntil, actions } = deletedColumns
const columns = [
  name,
  { label: 'Kind', width: '8.5rem' },
  deleted,
  keptUntil,
  { label: 'Size', width: '7.5rem' },
  actions,
]

export function Component() {
  const { projectId = '' } = useParams()
  const { items, loading, error, refetch } = useBin(projectId)
  const days = useHost()?.bin_days
  const limit = useBinLimit(projectId)
  const openDialog = useOpenDialog()
  const emptying = useDialog(binDialogs.empty)
  const may = useMay()
  const [search, setSearch] = useState('')
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(() => shownItems(items, shownSearch), [items, shownSearch])
  return (
    <>
      <PageHeader
        title="Bin"
        description={
          days === 0
            ? 'What is deleted here is deleted for good: the bin is turned off.'
            : `Deleted VMs, pools, sets, disks and snapshots${days === undefined ? '' : `, kept for ${binDaysText(days)}`}. What is in the bin counts toward no quota.${limit}`
        }
        actions={
          items.length > 0 && (
            <Button
              aria-haspopup="dialog"
              disabledReason={reasonOf(may('bin.empty'))}
              onClick={() => openDialog(binDialogs.empty)}
            >
              Empty Bin
            </Button>
          )
        }
      />
      {loading && <LoadingState text="Loading the bin..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading the Bin"
          message={errorText(error, 'Failed to load the bin.')}
          onRetry={() => void refetch()}
        />
      )}
      {!loading && !error && items.length === 0 && (
        <EmptyState
          title="The bin is empty"
          action={<Button render={<Link to={paths.vms(projectId)} />}>Show VMs</Button>}
        >
          VMs, pools, sets, disks and snapshots that somebody deletes appear here and can be restored. Deleted
          projects are on the page Projects.
        </EmptyState>
      )}
      {items.length > 0 && (
        <>
          <FilterBar
            search={{
              value: search,
              onChange: setSearch,
              label: 'Search the bin',
              placeholder: 'Search by name or kind...',
            }}
            active={search.trim() !== ''}
            onClear={() => setSearch('')}
            clearLabel="Clear Search"
            shown={`Showing ${shown.length} of ${items.length} objects`}
          />
          {shown.length === 0 ? (
            <p className="text-ink-2">Nothing in the bin matches the search.</p>
          ) : (
            <Ledger
              label="Deleted objects"
              columns={columns}
              items={shown}
              nameOf={({ name }) => name}
              row={(item) => <BinRow item={item} />}
            />
          )}
        </>
      )}
      {emptying.open && !loading && !error && (
        <EmptyBinDialog projectId={projectId} items={items} onClose={() => emptying.close()} />
      )}
      <ObjectDialogs
        objects={items}
        loading={loading || error !== null}
        gone="It was restored, or deleted for good."
        dialogs={{
          [binDialogs.delete]: (item, close) => <DeleteForGoodDialog item={item} onClose={() => close()} />,
        }}
      />
    </>
  )
}

/** How full the bin of the account is, where it has a limit. */
function useBinLimit(projectId: string): string {
  const account = useQuota(projectId)?.account
  return account ? binUseText(account) : ''
}

function BinRow({ item }: { item: BinItem }) {
  const openDialog = useOpenDialog()
  const may = useMay()
  const { id, kind } = item
  const Icon = objectIcons[kind]
  return (
    <DeletedRow
      deleted={item}
      noun={binNouns[kind]}
      status={
        <span className="inline-flex items-center gap-1.5">
          <Icon size={14} strokeWidth={1.6} aria-hidden className="text-ink-2" />
          {kindText(kind)}
        </span>
      }
      facts={[{ label: 'Size', value: sizeText(item) }]}
      note={alongText(item)}
      restore={() => undo(item)}
      onDelete={() => openDialog(binDialogs.delete, id)}
      refused={{ restore: reasonOf(may('bin.restore')), delete: reasonOf(may('bin.delete')) }}
    />
  )
}
