import { type Disk, type DiskSnapshot, type DiskSnapshotCreate, diskSnapshotApi } from '@slipway/contract'
import { call, settled } from '../../screen/screen.test-kit.ts'

/** Takes a snapshot of a disk and waits until it is ready. */
export async function take(disk: Disk, body: Partial<DiskSnapshotCreate> = {}): Promise<DiskSnapshot> {
  const params = { projectId: disk.project_id }
  const made = await call(diskSnapshotApi.create, {
    params,
    body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30, ...body },
  })
  return settled('ready', async () =>
    (await call(diskSnapshotApi.list, { params, query: {} })).find(({ id }) => id === made.id),
  )
}
