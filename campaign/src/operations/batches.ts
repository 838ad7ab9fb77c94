/** One call for many objects. What it changes here are tags, of which a campaign knows nothing that it could miss. */
import { batchApi } from '@slipway/contract'
import { requestOf } from '../client.ts'
import { type Called, type Errand, idOf, type Operation, on } from './operation.ts'

/** Makes a call about the newest batch of a project; where there is none, looking for it was all. */
async function onNewest(endpoint: Called, { person: { client }, parts }: Errand) {
  const list = await client.send(requestOf(batchApi.list, parts))
  if (list?.status !== batchApi.list.status) return list
  const [newest] = JSON.parse(list.text) as { id: string }[]
  if (!newest) return list
  return client.send(requestOf(endpoint, { params: { ...parts.params, batchId: newest.id } }))
}

const ofNewest = (weight: number, endpoint: Called) =>
  on('project', 'projectId', endpoint, { weight, send: (errand) => onNewest(endpoint, errand) })

export const ofBatches: Record<string, Operation> = {
  listBatches: on('project', 'projectId', batchApi.list, { weight: 0.5 }),
  readBatch: ofNewest(1, batchApi.get),
  cancelBatch: ofNewest(0.5, batchApi.cancel),
  tagVm: on('vm', 'vmId', batchApi.create, {
    weight: 2,
    parts(args, find, handle) {
      const vm = find(args.on)
      return {
        params: { projectId: idOf(find(String(vm.project))) },
        body: { action: 'vm.update', ids: [idOf(vm)], add_tags: [handle] },
      }
    },
  }),
}
