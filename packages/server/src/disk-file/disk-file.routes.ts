import { diskApi, diskSnapshotApi } from '@slipway/contract'
import { answerFile } from '../http/file-answer.ts'
import type { Route } from '../http/route.ts'
import type { DiskFileService } from './disk-file.service.ts'

export function diskFileRoutes(route: Route, files: DiskFileService): void {
  route(diskApi.download, ({ user, params }, request, reply) =>
    answerFile(request, reply, (signal) =>
      files.ofDisk(params.projectId, params.diskId, {
        userId: user.id,
        signal,
      }),
    ),
  )
  route(diskSnapshotApi.download, ({ user, params }, request, reply) =>
    answerFile(request, reply, (signal) =>
      files.ofSnapshot(params.projectId, params.diskSnapshotId, {
        userId: user.id,
        signal,
      }),
    ),
  )
}
