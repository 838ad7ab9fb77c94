/**
 * Event streams, of the users' first projects and of whole accounts: whoever only listens must end with the same
 * picture as a look. After a break a listener goes on from the last revision that it heard, as the console does, and
 * fetches the lists only when the server says that it has to. No change may come twice.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, eventApi, fillPath } from '@slipway/contract'
import { type Finding, isMoving } from './compare.ts'
import { timeOfDay } from './diary.ts'
import type { Host } from './host.ts'
import { lookAt, type Seen, withName } from './look.ts'
import type { Person } from './people.ts'
import { type Block, followRevisions, readBlocks } from './stream-blocks.ts'
import type { Kind } from './world.ts'

const kinds: Record<string, Kind> = {
  project: 'project',
  vm: 'vm',
  disk: 'disk',
  vm_snapshot: 'vmSnapshot',
  disk_snapshot: 'diskSnapshot',
  vm_pool: 'vmPool',
  vm_set: 'vmSet',
  share: 'share',
}

/** How soon a listener comes back after a break. */
const comesBackMs = 100

/** How much of its past a listener tells. */
const lastMoments = 6

export interface Listener {
  /** Where what was heard differs from what is shown. */
  differences: (seen: readonly Seen[]) => Finding[]
  /** How often it went on after a break without fetching anything anew. */
  readonly replays: number
  /** Breaks its connection; it comes back at once. */
  cut: () => void
  end: () => Promise<void>
}

/** What is listened to. */
export interface Topic {
  name: string
  endpoint: Pick<Endpoint, 'path'>
  params: Record<string, string>
  /** Whether an object is told of. */
  has: (seen: Seen) => boolean
}

export const projectTopic = (projectId: string): Topic => ({
  name: 'The event stream of the project',
  endpoint: eventApi.stream,
  params: { projectId },
  has: ({ kind, object }) => kind !== 'project' && object.project_id === projectId,
})

export const accountTopic = (user: number): Topic => ({
  name: `The event stream of user ${user}`,
  endpoint: eventApi.streamAll,
  params: {},
  has: ({ kind, object }) => kind === 'project' || typeof object.project_id === 'string',
})

type Shown = Seen['object']

const projectIdOf = (kind: Kind, object: Shown): string =>
  kind === 'project' ? object.id : (object.project_id ?? '')

/** Lists leave out the steps of VMs that are well. */
const shortened = ['steps']

/** The fields in which two pictures of one object differ, with both values. */
const differ = (heard: Shown, shown: Shown): string[] =>
  [...new Set([...Object.keys(heard), ...Object.keys(shown)])].flatMap((field) => {
    const [one, other] = [JSON.stringify(heard[field]), JSON.stringify(shown[field])]
    return one === other || shortened.includes(field) ? [] : [`${field} ${one} in place of ${other}`]
  })

export function listen(
  host: Host,
  { person, user, topic }: { person: Person; user: number; topic: Topic },
  found: (finding: Finding) => void,
): Listener {
  const objects = new Map<string, { kind: Kind; object: Shown; since: string }>()
  /** When it began, in which way, and when that ended. */
  const past: string[] = []
  const revisions = followRevisions()
  let whole = false
  let on = true
  let replays = 0
  let breakOff = () => {}
  let hasBegun = false
  let isCut = false

  function note(what: string): void {
    past.push(`${timeOfDay()} ${what}`)
    if (past.length > lastMoments) past.shift()
  }

  function hear({ event, id, data }: Block): void {
    const object = data as Shown & { deleted?: true }
    const kind = kinds[event]
    if (event === 'beat' || kind !== undefined) {
      const broken = id === null ? null : revisions.hear(id, event)
      if (broken) found({ rule: 'unheard', message: `${topic.name} ${broken} (${event} ${object.id})` })
    }
    if (!kind || (kind === 'project' && topic.endpoint === eventApi.stream && !object.deleted)) return
    if (!object.deleted) {
      const since = `by the event ${id} at ${timeOfDay()}`
      objects.set(`${kind} ${object.id}`, { kind, object: { ...object, ...withName(kind, object) }, since })
      return
    }
    objects.delete(`${kind} ${object.id}`)
    // Everything in a project ends with it.
    if (kind === 'project')
      for (const [key, one] of objects)
        if (projectIdOf(one.kind, one.object) === object.id) objects.delete(key)
  }

  async function fetchLists(isWanted: () => boolean): Promise<boolean> {
    const seen = await lookAt(person.client, user)
    if (!seen || !isWanted()) return seen !== null
    objects.clear()
    const since = `in the lists at ${timeOfDay()}`
    for (const { kind, object } of seen.filter(topic.has))
      objects.set(`${kind} ${object.id}`, { kind, object, since })
    return true
  }

  function followOnce(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const last = revisions.last()
    const headers = {
      cookie: person.client.cookie,
      'x-forwarded-for': person.client.from,
      ...(last !== null && { 'last-event-id': last }),
    }
    const path = fillPath(topic.endpoint.path, topic.params)
    const sent = request(new URL(path, host.url), { headers, agent: false })
    breakOff = () => sent.destroy()
    sent.on('error', () => resolve())
    sent.on('close', () => resolve())
    sent.on('response', (response) => {
      response.on('error', () => resolve())
      if (response.statusCode !== 200) return sent.destroy()
      // What changes while the lists are read comes after them.
      let early: Block[] | null = null
      async function beginAnew(revision: string): Promise<void> {
        whole = false
        const waiting: Block[] = []
        early = waiting
        revisions.restart(revision)
        const isThere = await fetchLists(() => !sent.destroyed && early === waiting)
        if (!isThere) sent.destroy()
        // The server may have said hello again meanwhile, or another connection goes on by now.
        if (!isThere || early !== waiting || sent.destroyed) return
        early = null
        note(`has its lists, and ${waiting.length} events that came meanwhile`)
        for (const one of waiting) hear(one)
        whole = true
      }
      readBlocks(response, (block) => {
        if (block.event !== 'hello') {
          if (early) early.push(block)
          else hear(block)
          return
        }
        const { replayed, revision } = block.data as { replayed: boolean; revision: string }
        hasBegun = true
        note(replayed ? `goes on at ${revision} after ${last}` : `begins anew at ${revision} (had ${last})`)
        if (replayed) {
          replays += 1
          whole = true
        } else beginAnew(revision).catch(() => sent.destroy())
      })
    })
    sent.end()
    return promise
  }

  const notesOf = (since = 'never') => [`the listener heard of it ${since}; its past:`, ...past]

  const following = (async () => {
    while (on) {
      isCut = false
      hasBegun = false
      if (host.up) {
        await followOnce()
        if (hasBegun)
          note(
            `its connection ended${isCut ? ', cut by the campaign' : ''}${whole ? '' : ', without its lists'}`,
          )
      }
      // A picture without its lists is of no use after a break.
      if (!whole) revisions.forget()
      whole = false
      if (on) await sleep(comesBackMs)
    }
  })()
  return {
    get replays() {
      return replays
    },
    differences(seen) {
      if (!whole) return []
      const shown = seen.filter((one) => one.user === user && topic.has(one))
      const findings = shown.flatMap((one) => {
        const { kind, object } = one
        const heard = objects.get(`${kind} ${object.id}`)
        // What moved when it was looked at is further by now, or has arrived.
        const isSame =
          heard && isMoving(one) && (heard.object.status === object.status || !isMoving({ ...one, ...heard }))
        const wrong = isSame ? [] : heard ? differ(heard.object, object) : ['nothing']
        if (wrong.length === 0) return []
        const message = `${topic.name} says of ${kind} ${object.name}: ${wrong.join(', ')}`
        return [{ rule: 'unheard', message, notes: notesOf(heard?.since) }]
      })
      const ids = new Set(shown.map(({ kind, object }) => `${kind} ${object.id}`))
      const ghosts = [...objects].filter(([id]) => !ids.has(id))
      return [
        ...findings,
        ...ghosts.map(([id, { since }]) => ({
          rule: 'unheard',
          message: `${topic.name} never ended ${id}`,
          notes: notesOf(since),
        })),
      ]
    },
    cut() {
      isCut = true
      breakOff()
    },
    async end() {
      on = false
      breakOff()
      await following
    },
  }
}
