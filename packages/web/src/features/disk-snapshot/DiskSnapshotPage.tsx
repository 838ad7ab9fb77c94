import { type DiskSnapshot, formatDiskSize, formatSnapshotSize, missing } from '@slipway/contract'
import { Link, useParams } from 'react-router'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { paths } from '../../paths.ts'
import { ObjectPage } from '../../shell/ObjectPage.tsx'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { SnapshotView } from '../snapshot/SnapshotView.tsx'
import { DiskSnapshotActions } from './DiskSnapshotActions.tsx'
import { DiskSnapshotDialogs } from './DiskSnapshotDialogs.tsx'
import { DiskOfSnapshot, DiskSnapshotType } from './DiskSnapshotRow.tsx'
import { familyOf } from './family.ts'
import { useDiskOfSnapshot } from './use-disk-of-snapshot.ts'

const texts = {
  title: 'Disk Snapshot',
  loading: 'Loading disk snapshot...',
  errorTitle: 'Error Loading Disk Snapshot',
  failed: 'Failed to load the disk snapshot. Please try again.',
  gone: missing.diskSnapshotNotFound,
  goneTitle: 'This disk snapshot does not exist',
}

export function Component() {
  const { projectId = '', diskSnapshotId } = useParams()
  const { snapshots, ...list } = useDiskSnapshots(projectId)
  const back = { to: paths.diskSnapshots(projectId), label: 'Disk Snapshots' }
  return (
    <>
      <ObjectPage
        object={snapshots.find(({ id }) => id === diskSnapshotId)}
        list={list}
        back={back}
        texts={texts}
      >
        {(snapshot) => <DiskSnapshotView key={snapshot.id} snapshot={snapshot} all={snapshots} />}
      </ObjectPage>
      <DiskSnapshotDialogs
        snapshots={snapshots}
        loading={list.loading || list.error !== null}
        afterDelete={back.to}
      />
    </>
  )
}

function DiskSnapshotView({ snapshot, all }: { snapshot: DiskSnapshot; all: readonly DiskSnapshot[] }) {
  const disk = useDiskOfSnapshot(snapshot.project_id)(snapshot)
  const { parent, heirs } = familyOf(all)(snapshot)
  return (
    <SnapshotView
      snapshot={snapshot}
      actions={<DiskSnapshotActions snapshot={snapshot} place="page" />}
      facts={[
        { label: 'Source Disk', value: <DiskOfSnapshot snapshot={snapshot} disk={disk} /> },
        { label: 'Size', value: formatDiskSize(snapshot.size) },
        { label: 'Type', value: <DiskSnapshotType snapshot={snapshot} parent={parent} /> },
        { label: 'Size on disk', value: formatSnapshotSize(snapshot.stored_mb) },
      ]}
      details={[
        { label: 'Based on', value: <BasedOn snapshot={snapshot} parent={parent} /> },
        ...(heirs.length > 0
          ? [
              {
                label: 'Base of',
                value: (
                  <ul>
                    {heirs.map((heir) => (
                      <li key={heir.id}>
                        <SnapshotLink snapshot={heir} />
                      </li>
                    ))}
                  </ul>
                ),
              },
            ]
          : []),
        { label: 'Disk ID', value: <CopyLine text={snapshot.disk_id} label="Copy disk ID" /> },
      ]}
    />
  )
}

const SnapshotLink = ({ snapshot: { project_id, id, name } }: { snapshot: DiskSnapshot }) => (
  <Link to={paths.diskSnapshot(project_id, id)} className="link" dir="auto">
    {name}
  </Link>
)

function BasedOn({ snapshot, parent }: { snapshot: DiskSnapshot; parent: DiskSnapshot | undefined }) {
  if (parent) return <SnapshotLink snapshot={parent} />
  return snapshot.parent_id === null ? (
    'None (standalone)'
  ) : (
    <span className="mono">{snapshot.parent_id}</span>
  )
}
