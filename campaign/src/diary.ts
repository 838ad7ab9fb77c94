/** What was called of late and how it was answered: of each violation, what concerns its objects. */
import type { Client } from './client.ts'
import { objectOf, type World } from './world.ts'

interface Entry {
  /** Path and body: the ids in them say what it was about. */
  asked: string
  line: string
}

/** How many calls are kept, and how many of them are told of a violation. */
const kept = 20_000
const told = 15

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The time of day, by the clock of the campaign. */
export const timeOfDay = (): string => new Date().toISOString().slice(11, 23)

/** The objects that a message names by their id or by their handle, and what they are in and on. */
function meant(world: World, message: string): { ids: Set<string>; projectIds: Set<string> } {
  const handles = (message.match(/\bs\d+\b/g) ?? []).filter((handle) => world.objects.has(handle))
  const named = new Set([
    ...(message.match(uuid) ?? []),
    ...handles.flatMap((handle) => objectOf(world, handle).id ?? []),
  ])
  const ids = new Set(named)
  const projectIds = new Set<string>()
  for (const { id, kind, project, facts } of world.objects.values()) {
    if (id === null || !named.has(id)) continue
    if (typeof facts.vm_id === 'string') ids.add(facts.vm_id)
    const projectId = kind === 'project' ? id : project && world.objects.get(project)?.id
    if (projectId) projectIds.add(projectId)
  }
  for (const id of projectIds) ids.delete(id)
  return { ids, projectIds }
}

export function makeDiary(world: World) {
  const entries: Entry[] = []

  return {
    /** Notes from now on what somebody changes. */
    follow(user: number, client: Client, step: () => number): void {
      const { send } = client
      client.send = async (message, over) => {
        const answer = await send(message, over)
        const { method, path, body = '' } = message
        if (method === 'GET') return answer
        const asked = `${path} ${body.slice(0, 300)}`
        const came = answer === null ? 'no answer' : `${answer.status} after ${Math.round(answer.took)} ms`
        entries.push({
          asked,
          line: `${timeOfDay()} step ${step()} user ${user}: ${method} ${asked.trim()}: ${came}`,
        })
        if (entries.length > kept) entries.shift()
        return answer
      }
    },

    /** The last calls about what a message names, and about their projects themselves. */
    about(message: string): string[] {
      const { ids, projectIds } = meant(world, message)
      // What is done in a project has its id as well.
      const ends = [...projectIds].map((id) => new RegExp(`${id}(/restore)?([? "]|$)`))
      const isAbout = ({ asked }: Entry) =>
        (asked.match(uuid) ?? []).some((id) => ids.has(id)) || ends.some((end) => end.test(asked))
      return entries
        .filter(isAbout)
        .slice(-told)
        .map(({ line }) => line)
    },
  }
}
