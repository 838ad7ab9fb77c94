import { isSnapshotUnderWay, type VmSnapshot } from '@slipway/contract'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useFlash } from '../../shell/use-flash.ts'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { snapshotColumns, VmSnapshotRow } from './VmSnapshotRow.tsx'
import { countVmSnapshots, matchesVmSnapshot, statusChoices } from './vm-snapshot-filter.ts'

const snapshotKind = { plural: 'snapshots', isUnderWay: isSnapshotUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { snapshots, ...list } = useVmSnapshots(projectId)
  useAnnouncedChanges(snapshots, snapshotKind)
  useFlash({ onRefresh: () => void list.refetch() })

  const [search, setSearch] = useState(useSearchParams()[0].get('search') ?? '')
  const [status, setStatus] = useState('all')
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(
    () => snapshots.filter((snapshot) => matchesVmSnapshot(snapshot, shownSearch, status)).reverse(),
    [snapshots, shownSearch, status],
  )

  const { total, ready, creating, failed } = countVmSnapshots(snapshots)

  return (
    <ListPage
      title="Snapshots"
      description="Saved states of single VMs. A VM can be brought back to each of them, and a new disk made from it."
      texts={{
        loading: 'Loading snapshots...',
        failed: 'Failed to load snapshots',
        none: 'No snapshots found',
        first: 'Get started by creating your first snapshot',
      }}
      list={{ ...list, total: snapshots.length, shown: shown.length }}
      create={{
        label: 'Create Snapshot',
        firstLabel: 'Create Your First Snapshot',
        to: paths.snapshotCreate(projectId),
      }}
      head={
        <>
          <StatRow
            label="Snapshots by status"
            stats={[
              { label: 'Total', value: total },
              { label: 'Ready', value: ready, tone: 'ready' },
              { label: 'Creating', value: creating, tone: 'creating' },
              { label: 'Failed', value: failed, tone: 'failed' },
            ]}
          />
          <FilterBar
            search={{
              value: search,
              onChange: setSearch,
              label: 'Search snapshots',
              placeholder: 'Search by name, VM, VM ID or description',
            }}
            filters={[{ label: 'Status', value: status, onChange: setStatus, options: statusChoices }]}
            active={search.trim() !== '' || status !== 'all'}
            onClear={() => {
              setSearch('')
              setStatus('all')
            }}
            shown={`Showing ${shown.length} of ${snapshots.length} snapshots`}
          />
        </>
      }
      items={<SnapshotLedger projectId={projectId} snapshots={shown} />}
    />
  )
}

interface SnapshotLedgerProps {
  projectId: string
  snapshots: readonly VmSnapshot[]
}

const SnapshotLedger = memo(function SnapshotLedger({ projectId, snapshots }: SnapshotLedgerProps) {
  const { vms, updatedAt } = useVms(projectId)
  const vmById = useMemo(() => new Map(vms.map((vm) => [vm.id, vm])), [vms])
  return (
    <Ledger
      label="Snapshots"
      columns={snapshotColumns}
      items={snapshots}
      nameOf={({ name }) => name}
      row={(snapshot) => (
        <VmSnapshotRow
          snapshot={snapshot}
          // Without a list nobody knows which VMs there are.
          vm={vmById.get(snapshot.vm_id) ?? (updatedAt > 0 ? null : undefined)}
        />
      )}
    />
  )
})
