import type { Disk } from '@slipway/contract'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { scheduledDisk } from '../../api/snapshot-schedules.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { SnapshotItems } from '../snapshot/SnapshotItems.tsx'
import { SnapshotScheduleSection } from '../snapshot-schedule/SnapshotScheduleSection.tsx'

/** What keeps an earlier content of a disk, on its page: its own snapshots, and those of VMs that include it. */
export function SnapshotsOfDisk({ disk }: { disk: Disk }) {
  const { id, project_id: projectId } = disk
  const { snapshots: ofDisks, ...diskList } = useDiskSnapshots(projectId)
  const { snapshots: ofVms, ...vmList } = useVmSnapshots(projectId)
  const own = useMemo(() => ofDisks.filter(({ disk_id }) => disk_id === id).reverse(), [ofDisks, id])
  const including = useMemo(
    () => ofVms.filter(({ disks }) => disks.some(({ disk_id }) => disk_id === id)).reverse(),
    [ofVms, id],
  )
  return (
    <div className="grid min-w-0 gap-7">
      <SnapshotItems
        title="Disk snapshots"
        snapshots={own}
        list={diskList}
        none="No snapshots of this disk yet."
        pathOf={(snapshot) => paths.diskSnapshot(projectId, snapshot.id)}
        more={
          own.length > 0 && (
            <Link to={paths.diskSnapshots(projectId, id)} className="link text-hint">
              View all {own.length}
            </Link>
          )
        }
      />
      <SnapshotScheduleSection of={scheduledDisk(disk)} />
      <SnapshotItems
        title="VM snapshots with this disk"
        snapshots={including}
        list={vmList}
        none="No VM snapshot includes this disk."
        pathOf={(snapshot) => paths.snapshot(projectId, snapshot.id)}
      />
    </div>
  )
}
