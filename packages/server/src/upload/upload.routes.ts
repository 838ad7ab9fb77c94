import type { Readable } from 'node:stream'
import { uploadApi } from '@slipway/contract'
import { abandonedSignal } from '../http/abandoned.ts'
import type { Route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import type { UploadService } from './upload.service.ts'

/** `fileRoute` mounts calls that take bytes. */
export function uploadRoutes(
  { route, fileRoute }: { route: Route; fileRoute: Route },
  uploads: UploadService,
) {
  route(uploadApi.list, ({ params }) => uploads.list(params.projectId))
  route(
    uploadApi.create,
    ({ user, params, body }) => uploads.create(user.id, params.projectId, body),
    ({ params }) => uploads.list(params.projectId),
  )
  route(uploadApi.get, ({ params }) => uploads.get(params.projectId, params.uploadId))
  fileRoute(uploadApi.send, ({ user, params, query }, request, reply) => {
    const piece = {
      announcedBytes: announced(request.headers['content-length']),
      // The parser of this route hands on the bytes as they come. A refusal can be sent while some are still coming.
      bytes: (request.body as Readable | undefined)?.iterator({ destroyOnReturn: false }) ?? nothing(),
      stop: () => void request.raw.destroy(),
      signal: abandonedSignal(reply),
    }
    return uploads
      .send(user.id, params.projectId, params.uploadId, query.offset, piece)
      .catch((error: unknown) => {
        // What is still to come of it is not waited for.
        if (error instanceof Problem && error.status === 408) reply.header('connection', 'close')
        throw error
      })
  })
  route(uploadApi.cancel, ({ user, params }) => uploads.cancel(user.id, params.projectId, params.uploadId))
}

async function* nothing(): AsyncGenerator<Buffer> {}

const announced = (text: string | undefined): number | null => (text === undefined ? null : Number(text))
