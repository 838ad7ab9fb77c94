import { formatSnapshotSize, isTransitional, type Vm, type VmSnapshot } from '@slipway/contract'
import { memo } from 'react'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Status } from '../../ui/Status.tsx'
import { SnapshotRow, TakenOf, WithNotes } from '../snapshot/SnapshotRow.tsx'
import { promisedOf, typeText } from '../snapshot/snapshot-words.ts'
import { VmSnapshotRowActions } from './VmSnapshotActions.tsx'

/** The columns of the rows below. */
export const vmSnapshotColumns = [
  { label: 'Name', width: 'minmax(0,1.5fr)' },
  { label: 'Status', width: '7.5rem' },
  { label: 'VM', width: 'minmax(0,1fr)' },
  { label: 'Size', width: '4rem' },
  { label: 'Type', width: '7.5rem' },
  { label: 'Created', width: '6.5rem' },
  { label: '', width: '10.5rem' },
] as const

interface VmSnapshotRowProps {
  snapshot: VmSnapshot
  /** Its VM; null when that is gone, undefined while nobody knows. */
  vm: Vm | null | undefined
}

/** Drawn again only when its own snapshot or VM changed. */
export const VmSnapshotRow = memo(function VmSnapshotRow({ snapshot, vm }: VmSnapshotRowProps) {
  return (
    <SnapshotRow
      snapshot={snapshot}
      path={paths.snapshot(snapshot.project_id, snapshot.id)}
      facts={[
        { label: 'VM', value: <VmOfSnapshot snapshot={snapshot} vm={vm} /> },
        { label: 'Size', value: formatSnapshotSize(snapshot.size_mb) },
        { label: 'Type', value: <VmSnapshotType snapshot={snapshot} /> },
        { label: 'Created', value: formatDateTime(snapshot.created_at) },
      ]}
      actions={<VmSnapshotRowActions snapshot={snapshot} vm={vm} />}
    />
  )
})

/** The VM a snapshot was taken of, with its status while that changes. */
export function VmOfSnapshot({ snapshot, vm }: VmSnapshotRowProps) {
  return (
    <TakenOf name={snapshot.vm_name} source={vm} path={paths.vm(snapshot.project_id, snapshot.vm_id)}>
      {vm && isTransitional(vm) && <Status word={vm.status} since={vm.status_since} />}
    </TakenOf>
  )
}

export function VmSnapshotType({ snapshot }: { snapshot: VmSnapshot }) {
  return (
    <WithNotes
      text={typeText(snapshot)}
      notes={[
        snapshot.automatic && 'Automatic',
        snapshot.scheduled !== null && `Scheduled, ${snapshot.scheduled}`,
        // That it holds the memory was said already.
        snapshot.consistency !== 'memory' && promisedOf(snapshot)?.short,
      ]}
    />
  )
}
