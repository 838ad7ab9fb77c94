import { type Disk, fillPath, routeOf } from '@slipway/contract'
import { apiBase } from './client.ts'

/** Where the browser downloads a disk, or a snapshot of one. */
export const diskFileUrl = (disk: Pick<Disk, 'id' | 'project_id'>): string =>
  apiBase + fillPath(routeOf('disk.download').path, { projectId: disk.project_id, diskId: disk.id })
export const diskSnapshotFileUrl = (snapshot: { id: string; project_id: string }): string =>
  apiBase +
  fillPath(routeOf('diskSnapshot.download').path, {
    projectId: snapshot.project_id,
    diskSnapshotId: snapshot.id,
  })
