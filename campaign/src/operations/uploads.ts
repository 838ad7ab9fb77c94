/** Files that become disks, and disks as files. What is sent is short: it is about what becomes of it meanwhile. */
import { diskApi, diskSnapshotApi, uploadApi } from '@slipway/contract'
import { requestOf } from '../client.ts'
import { ownedBy } from '../world.ts'
import { type Called, chooseIn, type Errand, idOf, type Operation, on, projectOf } from './operation.ts'

const fileBytes = 1024

/** Nobody's: what is asked of it is refused. */
const nobody = 'nobody'

async function firstUpload({ person: { client }, parts: { params = {} } }: Errand): Promise<string> {
  const answer = await client.send(requestOf(uploadApi.list, { params }))
  if (answer?.status !== 200) return nobody
  const [first] = JSON.parse(answer.text) as { id: string }[]
  return first?.id ?? nobody
}

/** A call about the oldest upload of a project, whichever that is by then. */
const ofUpload = (weight: number, endpoint: Called, query = '', sent: { body?: string } = {}): Operation =>
  on('project', 'projectId', endpoint, {
    weight,
    async send(errand) {
      const params = { ...errand.parts.params, uploadId: await firstUpload(errand) }
      const request = requestOf(endpoint, { params })
      return errand.person.client.send({
        ...request,
        path: request.path + query,
        ...(sent.body !== undefined && {
          body: sent.body,
          headers: { 'content-type': 'application/octet-stream' },
        }),
      })
    },
  })

export const ofUploads: Record<string, Operation> = {
  createUpload: {
    weight: 2,
    endpoint: uploadApi.create,
    creates: 'disk',
    // Another one may cancel it, or it waits for ever: both are what its users do.
    mayFail: true,
    choose(choice) {
      const project = chooseIn(choice, 'project')
      if (!project || ownedBy(choice.world, choice.user, 'disk').length >= 8) return null
      return { project: project.handle }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: { name: handle, size: '1Gi', file_name: `${handle}.img`, file_bytes: fileBytes },
    }),
  },
  listUploads: on('project', 'projectId', uploadApi.list, { weight: 0.5 }),
  readUpload: ofUpload(0.3, uploadApi.get),
  sendHalf: ofUpload(2, uploadApi.send, '?offset=0', { body: 'a'.repeat(fileBytes / 2) }),
  sendRest: ofUpload(3, uploadApi.send, `?offset=${fileBytes / 2}`, { body: 'b'.repeat(fileBytes / 2) }),
  sendWhole: ofUpload(2, uploadApi.send, '?offset=0', { body: 'c'.repeat(fileBytes) }),
  cancelNothing: on('project', 'projectId', uploadApi.cancel, {
    weight: 0.2,
    parts: (args, find) => ({ params: { projectId: idOf(find(args.on)), uploadId: nobody } }),
  }),
  downloadDisk: on('disk', 'diskId', diskApi.download, { weight: 0.5 }),
  downloadDiskSnapshot: on('diskSnapshot', 'diskSnapshotId', diskSnapshotApi.download, { weight: 0.5 }),
}
