import { formatSnapshotSize, missing, type VmSnapshot } from '@slipway/contract'
import { useParams } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { ObjectPage } from '../../shell/ObjectPage.tsx'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { TakenOf } from '../snapshot/SnapshotRow.tsx'
import { SnapshotView } from '../snapshot/SnapshotView.tsx'
import { useVmOfSnapshot } from './use-vm-of-snapshot.ts'
import { VmSnapshotPageActions } from './VmSnapshotActions.tsx'
import { VmSnapshotDialogs } from './VmSnapshotDialogs.tsx'
import { VmOfSnapshot, VmSnapshotType } from './VmSnapshotRow.tsx'

const texts = {
  title: 'Snapshot',
  loading: 'Loading snapshot...',
  errorTitle: 'Error Loading Snapshot',
  failed: 'Failed to load the snapshot. Please try again.',
  gone: missing.vmSnapshotNotFound,
  goneTitle: 'This snapshot does not exist',
}

export function Component() {
  const { projectId = '', snapshotId } = useParams()
  const { snapshots, ...list } = useVmSnapshots(projectId)
  const vmOf = useVmOfSnapshot(projectId)
  const back = { to: paths.snapshots(projectId), label: 'Snapshots' }
  return (
    <>
      <ObjectPage
        object={snapshots.find(({ id }) => id === snapshotId)}
        list={list}
        back={back}
        texts={texts}
      >
        {(snapshot) => (
          <SnapshotView
            key={snapshot.id}
            snapshot={snapshot}
            actions={<VmSnapshotPageActions snapshot={snapshot} vm={vmOf(snapshot)} />}
            facts={[
              { label: 'VM', value: <VmOfSnapshot snapshot={snapshot} vm={vmOf(snapshot)} /> },
              { label: 'Type', value: <VmSnapshotType snapshot={snapshot} /> },
              { label: 'Size on disk', value: formatSnapshotSize(snapshot.size_mb) },
            ]}
            details={[
              { label: 'Disks', value: <DisksOfSnapshot snapshot={snapshot} /> },
              { label: 'VM ID', value: <CopyLine text={snapshot.vm_id} label="Copy VM ID" /> },
            ]}
          />
        )}
      </ObjectPage>
      <VmSnapshotDialogs
        snapshots={snapshots}
        loading={list.loading || list.error !== null}
        vmOf={vmOf}
        afterDelete={back.to}
      />
    </>
  )
}

/** The disks that a snapshot contains, with the way to those that still exist. */
function DisksOfSnapshot({ snapshot: { project_id, disks: contained } }: { snapshot: VmSnapshot }) {
  const { disks, updatedAt } = useDisks(project_id)
  const sourceOf = (diskId: string) =>
    disks.find(({ id }) => id === diskId) ?? (updatedAt > 0 ? null : undefined)
  return (
    <ul>
      <li>Root disk</li>
      {contained.map(({ disk_id, name, size }) => (
        <li key={disk_id} className="flex gap-1">
          <TakenOf name={name} source={sourceOf(disk_id)} path={paths.disk(project_id, disk_id)} />
          <span className="text-ink-3">{size}</span>
        </li>
      ))}
    </ul>
  )
}
