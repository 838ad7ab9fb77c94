/** What was deleted comes back, or is deleted for good: the newest of what the world knows. */
import { type BinItem, binApi, binEmptyLimit } from '@slipway/contract'
import { requestOf } from '../client.ts'
import type { Known, World } from '../world.ts'
import { type Called, type Errand, idOf, type Operation, on } from './operation.ts'

type Item = Pick<BinItem, 'id' | 'attached_disks'>

const knownBy = (world: World, id: string): Known | undefined =>
  [...world.objects.values()].find((one) => one.id === id)

/** Makes a call about the newest item; where there is none, looking for it was all. */
async function onNewest(endpoint: Called, { world, person: { client }, parts }: Errand) {
  const list = await client.send(requestOf(binApi.list, parts))
  if (list?.status !== binApi.list.status) return list
  const item = (JSON.parse(list.text) as Item[]).find(({ id }) => knownBy(world, id))
  if (!item) return list
  const answer = await client.send(requestOf(endpoint, { params: { ...parts.params, itemId: item.id } }))
  const known = knownBy(world, item.id)
  if (endpoint.id === binApi.restore.id && known) cameBack(world, known, item, answer)
  return answer
}

/** Empties the bin of what is in it now. */
async function onAll({ person: { client }, parts }: Errand) {
  const list = await client.send(requestOf(binApi.list, parts))
  if (list?.status !== binApi.list.status) return list
  const ids = (JSON.parse(list.text) as { id: string }[]).map(({ id }) => id).slice(0, binEmptyLimit)
  return client.send(requestOf(binApi.empty, { ...parts, body: { ids } }))
}

/** It is there again, as it was at most: what was known of it is not known any more. */
function cameBack(
  world: World,
  known: Known,
  { attached_disks: attached }: Item,
  answer: Awaited<ReturnType<typeof onNewest>>,
): void {
  if (answer !== null && answer.status !== binApi.restore.status) return
  // A VM takes those of its disks again that are free: which they were is not known here.
  if (attached > 0)
    for (const { kind, project, facts } of world.objects.values())
      if (kind === 'disk' && project === known.project && facts.vm_id === null) delete facts.vm_id
  known.fate = answer === null ? 'perhaps' : 'there'
  known.facts = {}
  known.power = null
  delete known.creation
}

const ofNewest = (weight: number, endpoint: Called) =>
  on('project', 'projectId', endpoint, { weight, send: (errand) => onNewest(endpoint, errand) })

export const ofBin: Record<string, Operation> = {
  previewBin: on('project', 'projectId', binApi.preview, {
    weight: 0.3,
    parts(args, find) {
      const projectId = idOf(find(args.on))
      return { params: { projectId }, body: { ids: [projectId] } }
    },
  }),
  listBin: on('project', 'projectId', binApi.list, { weight: 0.5 }),
  restoreFromBin: ofNewest(2, binApi.restore),
  deleteForGood: ofNewest(1, binApi.delete),
  emptyBin: on('project', 'projectId', binApi.empty, { weight: 0.3, send: onAll }),
}
