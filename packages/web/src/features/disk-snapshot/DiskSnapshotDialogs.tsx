import type { DiskSnapshot } from '@slipway/contract'
import { lazy, Suspense } from 'react'
import { useDeleteDiskSnapshot } from '../../api/disk-snapshots.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { DeleteSnapshotDialog } from '../snapshot/DeleteSnapshotDialog.tsx'
import { diskSnapshotDialogs } from './disk-snapshot-dialogs.ts'
import { familyOf } from './family.ts'

// The form comes when it is first opened.
const DiskFromSnapshotDialog = lazy(async () => ({
  default: (await import('./DiskFromSnapshotDialog.tsx')).DiskFromSnapshotDialog,
}))

interface DiskSnapshotDialogsProps {
  snapshots: readonly DiskSnapshot[]
  /** Whether it is not known which there are: they load, or failed to. */
  loading: boolean
  /** Where to go when the snapshot was deleted, from its own page. */
  afterDelete?: string
}

/** All dialogs about disk snapshots: on the page that shows some. */
export function DiskSnapshotDialogs({ snapshots, loading, afterDelete }: DiskSnapshotDialogsProps) {
  const removal = useDeleteDiskSnapshot()
  return (
    <ObjectDialogs
      objects={snapshots}
      loading={loading}
      gone="The disk snapshot no longer exists."
      dialogs={{
        [diskSnapshotDialogs.createDisk]: (snapshot, close) => (
          <Suspense fallback={null}>
            <DiskFromSnapshotDialog snapshot={snapshot} onClose={close} />
          </Suspense>
        ),
        [diskSnapshotDialogs.delete]: (snapshot, close) => (
          <DeleteSnapshotDialog
            snapshot={snapshot}
            of="disk"
            act={(forGood) => removal.mutateAsync({ snapshot, forGood })}
            done={`Disk snapshot "${snapshot.name}" deleted successfully`}
            onClose={close}
            onDeleted={() => close(afterDelete === undefined ? {} : { to: afterDelete })}
          >
            {familyOf(snapshots)(snapshot).heirs.map(({ id, name }) => (
              <p key={id} className="mt-2">
                "<bdi>{name}</bdi>" is based on it and keeps all of its data.
              </p>
            ))}
          </DeleteSnapshotDialog>
        ),
      }}
    />
  )
}
