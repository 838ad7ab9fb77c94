/** The event streams of the users' first projects: whoever only listens must end with the same picture as a look. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventApi, fillPath } from '@slipway/contract'
import type { Finding } from './compare.ts'
import type { Host } from './host.ts'
import { lookAt, type Seen } from './look.ts'
import type { Person } from './people.ts'
import type { Kind } from './world.ts'

const kinds: Record<string, Kind> = {
  vm: 'vm',
  disk: 'disk',
  vm_snapshot: 'vmSnapshot',
  disk_snapshot: 'diskSnapshot',
  vm_pool: 'vmPool',
  vm_set: 'vmSet',
}

export interface Listener {
  /** Where what was heard differs from what is shown. */
  differences: (seen: readonly Seen[]) => Finding[]
  end: () => Promise<void>
}

/** Listens to a project; after every break it fetches the lists again, as the console does. */
export function listen(host: Host, person: Person, user: number, projectId: string): Listener {
  const statuses = new Map<string, string | undefined>()
  let whole = false
  let on = true
  let breakOff = () => {}

  function hear(block: string): void {
    const [, event = ''] = /^event: (.*)$/m.exec(block) ?? []
    const [, data] = /^data: (.*)$/m.exec(block) ?? []
    if (data === undefined) return
    const object = JSON.parse(data) as { id: string; status?: string; deleted?: true }
    // Everything in a project ends with it.
    if (event === 'project' && object.deleted) statuses.clear()
    const kind = kinds[event]
    if (!kind) return
    if (object.deleted) statuses.delete(`${kind} ${object.id}`)
    else statuses.set(`${kind} ${object.id}`, object.status)
  }

  function followOnce(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const path = fillPath(eventApi.stream.path, { projectId })
    const headers = { cookie: person.client.cookie, 'x-forwarded-for': person.client.from }
    const sent = request(new URL(path, host.url), { headers, agent: false })
    breakOff = () => sent.destroy()
    sent.on('error', () => resolve())
    sent.on('close', () => resolve())
    sent.on('response', async (response) => {
      let rest = ''
      response.setEncoding('utf8').on('error', () => resolve())
      // What changes while the lists are read comes after them.
      const early: string[] = []
      let use = (block: string): void => {
        early.push(block)
      }
      response.on('data', (part: string) => {
        const blocks = (rest + part).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) use(block)
      })
      const seen = response.statusCode === 200 ? await lookAt(person.client, user) : null
      if (!seen) return sent.destroy()
      statuses.clear()
      for (const { kind, object } of seen)
        if (object.project_id === projectId && kind !== 'project')
          statuses.set(`${kind} ${object.id}`, object.status)
      for (const block of early) hear(block)
      use = hear
      whole = true
    })
    sent.end()
    return promise
  }

  const following = (async () => {
    while (on) {
      if (host.up) await followOnce()
      whole = false
      if (on) await sleep(100)
    }
  })()
  return {
    differences(seen) {
      if (!whole) return []
      const shown = seen.filter(({ object }) => object.project_id === projectId)
      const findings = shown.flatMap(({ kind, object: { id, name, status } }) => {
        const heard = statuses.get(`${kind} ${id}`)
        if (heard === status) return []
        const message = `The event stream says that ${kind} ${name} is ${heard ?? 'not there'}, and the API that it is ${status}`
        return [{ rule: 'unheard', message }]
      })
      const ids = new Set(shown.map(({ kind, object }) => `${kind} ${object.id}`))
      const ghosts = [...statuses.keys()].filter((id) => !ids.has(id))
      return [
        ...findings,
        ...ghosts.map((id) => ({ rule: 'unheard', message: `The event stream never ended ${id}` })),
      ]
    },
    async end() {
      on = false
      breakOff()
      await following
    },
  }
}
