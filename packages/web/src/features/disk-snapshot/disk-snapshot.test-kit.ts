import { type Disk, type DiskSnapshot, type DiskSnapshotCreate, diskSnapshotApi } from '@slipway/contract'
import { expect } from 'vitest'
import { call } from '../../screen/screen.test-kit.ts'

/** Takes a snapshot of a disk and waits until it is ready. */
export async function take(disk: Disk, body: Partial<DiskSnapshotCreate> = {}): Promise<DiskSnapshot> {
  const params = { projectId: disk.project_id }
  const made = await call(diskSnapshotApi.create, {
    params,
    body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30, ...body },
  })
  let snapshot: DiskSnapshot | undefined
  await expect
    .poll(async () => {
      snapshot = (await call(diskSnapshotApi.list, { params, query: {} })).find(({ id }) => id === made.id)
      return snapshot?.status
    })
    .toBe('ready')
  if (!snapshot) throw new Error('The snapshot is gone')
  return snapshot
}
