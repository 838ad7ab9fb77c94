/** Projects that went to the bin come back, or are deleted for good: the newest of what the world knows. */
import { binEmptyLimit, projectApi, projectBinApi } from '@slipway/contract'
import type { Client } from '../client.ts'
import { requestOf } from '../client.ts'
import type { Person } from '../people.ts'
import { insideOf, type Known, objectOf, type World } from '../world.ts'
import { type Called, type Errand, idOf, type Operation, on, plain } from './operation.ts'

/** The ids of the projects in a person's bin; null when the server did not say. */
async function idsInBin(client: Client): Promise<string[] | null> {
  const list = await client.send(requestOf(projectBinApi.list, {}))
  if (list?.status !== projectBinApi.list.status) return null
  return (JSON.parse(list.text) as { id: string }[]).map(({ id }) => id)
}

/** All of it is there again, as it was at most: what was known of it is not known any more. */
function cameBack(world: World, id: string, isSure: boolean): void {
  const project = [...world.objects.values()].find((one) => one.id === id)
  if (!project) return
  project.fate = isSure ? 'there' : 'perhaps'
  for (const inside of world.objects.values()) if (inside.project === project.handle) mayBeThere(inside)
}

function mayBeThere(known: Known): void {
  known.fate = 'perhaps'
  known.facts = {}
  known.power = null
  delete known.creation
}

/** Makes a call about the newest one; where there is none, looking for it was all. */
async function onNewest(endpoint: Called, { world, person: { client } }: Errand) {
  const list = await client.send(requestOf(projectBinApi.list, {}))
  if (list?.status !== projectBinApi.list.status) return list
  const [newest] = JSON.parse(list.text) as { id: string }[]
  if (!newest) return list
  const answer = await client.send(requestOf(endpoint, { params: { itemId: newest.id } }))
  if (endpoint.id !== projectBinApi.restore.id) return answer
  if (answer === null || answer.status === projectBinApi.restore.status)
    cameBack(world, newest.id, answer !== null)
  return answer
}

/** Empties the bin of what is in it now. */
async function onAll({ person: { client } }: Errand) {
  const ids = await idsInBin(client)
  return ids && client.send(requestOf(projectBinApi.empty, { body: { ids: ids.slice(0, binEmptyLimit) } }))
}

/** Before everything is looked at: what is in a bin is in no list. One that has no room any more is deleted for good. */
export async function emptyProjectBins(world: World, people: readonly Person[]): Promise<void> {
  for (const { client } of people)
    for (const id of (await idsInBin(client)) ?? []) {
      const params = { itemId: id }
      const back = await client.send(requestOf(projectBinApi.restore, { params }))
      if (back === null || back.status === projectBinApi.restore.status) cameBack(world, id, back !== null)
      else if (back.status === 409) await client.send(requestOf(projectBinApi.delete, { params }))
    }
}

export const ofProjectBin: Record<string, Operation> = {
  listProjectBin: plain(0.5, projectBinApi.list),
  putProjectInBin: on('project', 'projectId', projectApi.delete, {
    weight: 1,
    deletes: true,
    parts: (args, find) => ({
      params: { projectId: idOf(find(args.on)) },
      query: { with_vms: 'true' },
    }),
    learn(world, args) {
      for (const inside of insideOf(world, objectOf(world, args.on))) inside.fate = 'leaving'
    },
    forget(world, args) {
      for (const inside of insideOf(world, objectOf(world, args.on))) inside.fate = 'perhaps leaving'
    },
  }),
  restoreProject: plain(1.5, projectBinApi.restore, {
    send: (errand) => onNewest(projectBinApi.restore, errand),
  }),
  deleteProjectForGood: plain(0.5, projectBinApi.delete, {
    send: (errand) => onNewest(projectBinApi.delete, errand),
  }),
  emptyProjectBin: plain(0.1, projectBinApi.empty, { send: onAll }),
}
