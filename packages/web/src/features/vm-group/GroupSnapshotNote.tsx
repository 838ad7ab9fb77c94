import { useParams } from 'react-router'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'

interface GroupSnapshotNoteProps {
  snapshotId: string
  /** The VMs shall be made of the template alone. */
  onRemove: () => void
}

/** In place of the disks: what VMs are that are made of a VM snapshot. */
export function GroupSnapshotNote({ snapshotId, onRemove }: GroupSnapshotNoteProps) {
  const { snapshots } = useVmSnapshots(useParams().projectId)
  const snapshot = snapshots.find(({ id }) => id === snapshotId)
  return (
    <>
      <Banner tone="info">
        Each VM is made of the snapshot {snapshot ? <bdi>{snapshot.name}</bdi> : snapshotId}: it has copies of
        its disks, and keeps them
        {snapshot?.has_memory && ', and continues with everything that was running'}. The snapshot is kept for
        as long as this needs it.
      </Banner>
      <div>
        <Button size="sm" onClick={onRemove}>
          Use the template alone
        </Button>
      </div>
    </>
  )
}
