import type { Vm, VmSnapshot } from '@slipway/contract'
import { memo } from 'react'
import { useParams } from 'react-router'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { Ledger } from '../../ui/Ledger.tsx'
import { SnapshotList } from '../snapshot/SnapshotList.tsx'
import { vmSnapshotFilter } from '../snapshot/snapshot-filter.ts'
import { useVmOfSnapshot } from './use-vm-of-snapshot.ts'
import { VmSnapshotDialogs } from './VmSnapshotDialogs.tsx'
import { VmSnapshotRow, vmSnapshotColumns } from './VmSnapshotRow.tsx'

export function Component() {
  const { projectId = '' } = useParams()
  const { snapshots, ...list } = useVmSnapshots(projectId)
  const vmOf = useVmOfSnapshot(projectId)
  return (
    <>
      <SnapshotList
        kind="vm_snapshot"
        snapshots={snapshots}
        list={list}
        filter={vmSnapshotFilter}
        title="Snapshots"
        noun="snapshots"
        texts={{
          loading: 'Loading snapshots...',
          failed: 'Failed to load snapshots',
          none: 'No snapshots found',
          first: 'Get started by creating your first snapshot',
        }}
        description="Saved states of single VMs. Restore a VM from a snapshot, or create a new disk from it."
        placeholder="Search by name, VM, VM ID or description"
        totalLabel="Total"
        showFailed
        createCall="vmSnapshot.create"
        createTo={paths.snapshotCreate(projectId)}
        items={(shown) => <Rows snapshots={shown} vmOf={vmOf} />}
      />
      <VmSnapshotDialogs snapshots={snapshots} loading={list.loading || list.error !== null} vmOf={vmOf} />
    </>
  )
}

interface RowsProps {
  snapshots: readonly VmSnapshot[]
  vmOf: (snapshot: VmSnapshot) => Vm | null | undefined
}

const Rows = memo(function Rows({ snapshots, vmOf }: RowsProps) {
  return (
    <Ledger
      label="Snapshots"
      columns={vmSnapshotColumns}
      items={snapshots}
      nameOf={({ name }) => name}
      row={(snapshot) => <VmSnapshotRow snapshot={snapshot} vm={vmOf(snapshot)} />}
    />
  )
})
