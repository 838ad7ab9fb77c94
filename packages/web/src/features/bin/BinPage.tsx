import { type BinItem, binDaysText, binNouns } from '@slipway/contract'
import { useDeferredValue, useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useBin } from '../../api/bin.ts'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime, formatShortDate } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger, LedgerRow } from '../../ui/Ledger.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { binDialogs } from './bin-dialogs.ts'
import { alongText, kindText, shownItems, sizeText } from './bin-words.ts'
import { DeleteForGoodDialog } from './DeleteForGoodDialog.tsx'
import { undo } from './tell-deleted.ts'

const columns = [
  { label: 'Name', width: 'minmax(0,2fr)' },
  { label: 'Kind', width: '8.5rem' },
  { label: 'Deleted', width: 'minmax(0,1.5fr)' },
  { label: 'Kept until', width: '6.5rem' },
  { label: 'Size', width: '7.5rem' },
  { label: '', width: '12.5rem' },
]

export function Component() {
  const { projectId = '' } = useParams()
  const { items, loading, error, refetch } = useBin(projectId)
  const days = useHost()?.bin_days
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
            : `Deleted VMs, disks and snapshots${days === undefined ? '' : `, kept for ${binDaysText(days)}`}. What is in the bin counts toward no quota.`
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
          VMs, disks and snapshots that somebody deletes appear here and can be restored. Pools and sets are
          deleted for good. Deleted projects are on the page Projects.
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

function BinRow({ item }: { item: BinItem }) {
  const openDialog = useOpenDialog()
  const may = useMay()
  const [busy, setBusy] = useState(false)
  const { id, kind, name, deleted_at, deleted_by, delete_at } = item
  const Icon = objectIcons[kind]
  const along = alongText(item)
  const restore = async () => {
    setBusy(true)
    await undo(item)
    setBusy(false)
  }
  return (
    <LedgerRow
      name={name}
      status={
        <span className="inline-flex items-center gap-1.5">
          <Icon size={14} strokeWidth={1.6} aria-hidden className="text-ink-2" />
          {kindText(kind)}
        </span>
      }
      facts={[
        {
          label: 'Deleted',
          value: (
            <>
              {formatDateTime(deleted_at)}
              {deleted_by && (
                <>
                  {' '}
                  by <bdi>{deleted_by.name}</bdi>
                </>
              )}
            </>
          ),
        },
        {
          label: 'Kept until',
          value: <span title={formatDateTime(delete_at)}>{formatShortDate(delete_at)}</span>,
        },
        { label: 'Size', value: sizeText(item) },
      ]}
      note={along && <p className="text-hint text-ink-2">{along}</p>}
      actions={
        <>
          <Button
            size="sm"
            className="phone:h-10"
            aria-label={`Restore ${binNouns[kind]} ${name}`}
            busy={busy}
            busyText="Restoring..."
            disabledReason={reasonOf(may('bin.restore'))}
            onClick={() => void restore()}
          >
            Restore
          </Button>
          <Button
            size="sm"
            className="phone:h-10"
            aria-haspopup="dialog"
            aria-label={`Delete for Good: ${binNouns[kind]} ${name}`}
            disabledReason={reasonOf(may('bin.delete'))}
            onClick={() => openDialog(binDialogs.delete, id)}
          >
            Delete for Good
          </Button>
        </>
      }
    />
  )
}
