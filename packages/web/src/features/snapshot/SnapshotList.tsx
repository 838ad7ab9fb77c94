import { isSnapshotUnderWay } from '@slipway/contract'
import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { ListPage, type ListPageProps } from '../../shell/ListPage.tsx'
import { noListState } from '../../shell/list-state.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useFlash } from '../../shell/use-flash.ts'
import { useListState } from '../../shell/use-list-state.ts'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { Selecting } from '../batch/Selecting.tsx'
import { countSnapshots, matchesSnapshot, type SnapshotFilterKind } from './snapshot-filter.ts'
import type { AnySnapshot } from './snapshot-words.ts'

interface SnapshotListProps<S extends AnySnapshot> {
  kind: 'vm_snapshot' | 'disk_snapshot'
  snapshots: readonly S[]
  list: Omit<ListPageProps['list'], 'total' | 'shown'>
  filter: SnapshotFilterKind
  /** `Snapshots`, and `snapshots` within a sentence. */
  title: string
  noun: string
  /** Written out, as the specifications have them. */
  texts: ListPageProps['texts']
  description: string
  placeholder: string
  /** Labels of the totals; that of failed ones only stands where there are some, unless `showFailed`. */
  totalLabel: string
  showFailed: boolean
  createTo: string
  createCall: ListPageProps['create']['call']
  items: (shown: readonly S[]) => ReactNode
}

/** The page that lists snapshots, of VMs or of disks: totals, search, filter and rows. */
export function SnapshotList<S extends AnySnapshot>({
  kind,
  snapshots,
  list,
  filter,
  title,
  noun,
  texts,
  description,
  placeholder,
  totalLabel,
  showFailed,
  createTo,
  createCall,
  items,
}: SnapshotListProps<S>) {
  useAnnouncedChanges(
    snapshots,
    useMemo(() => ({ plural: noun, isUnderWay: isSnapshotUnderWay }), [noun]),
  )
  useFlash({ onRefresh: () => void list.refetch() })
  const [{ search, status }, setFilter] = useListState(filter.inUrl)
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(
    () =>
      snapshots
        .filter((snapshot) => matchesSnapshot(filter, snapshot, { search: shownSearch, status }))
        .reverse(),
    [snapshots, filter, shownSearch, status],
  )
  const { total, ready, creating, failed } = countSnapshots(filter, snapshots)
  return (
    <ListPage
      title={title}
      description={description}
      texts={texts}
      list={{ ...list, total: snapshots.length, shown: shown.length }}
      create={{
        call: createCall,
        label: 'Create Snapshot',
        firstLabel: 'Create Your First Snapshot',
        to: createTo,
      }}
      head={
        <>
          <StatRow
            label={`${title.charAt(0)}${title.slice(1).toLowerCase()} by status`}
            stats={[
              { label: totalLabel, value: total },
              { label: 'Ready', value: ready, tone: 'ready' },
              { label: 'Creating', value: creating, tone: 'creating' },
              (showFailed || failed > 0) && { label: 'Failed', value: failed, tone: 'failed' },
            ]}
          />
          <FilterBar
            search={{
              value: search,
              onChange: (next) => setFilter({ search: next }),
              label: `Search ${noun}`,
              placeholder,
            }}
            filters={[
              {
                label: 'Status',
                value: status,
                onChange: (next) => setFilter({ status: next }),
                options: filter.inUrl.status.map((value) => ({
                  value,
                  label: value === 'all' ? filter.allLabel : value.charAt(0).toUpperCase() + value.slice(1),
                })),
              },
            ]}
            active={search.trim() !== '' || status !== 'all'}
            onClear={() => setFilter(noListState(filter.inUrl))}
            shown={`Showing ${shown.length} of ${snapshots.length} snapshots`}
          />
        </>
      }
      items={
        <Selecting kind={kind} all={snapshots} shown={shown}>
          {items(shown)}
        </Selecting>
      }
    />
  )
}
