import { type Answer, ApiError, type Call, type Client, makeClient, type Rest } from '@slipway/client'
import type { EndpointId } from '@slipway/contract/endpoint.ts'
import { Failure, failureOf } from './failure.ts'
import { type Listed, labelsOf, listed, pick } from './names.ts'
import type { Settings } from './settings.ts'
import { transport } from './transport.ts'

/** The parts of a call, as words of a command gave them; the server judges them by the endpoint's schemas. */
export interface Parts {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  idempotencyKey?: string
}

export interface Session {
  server: string
  token: string | undefined
  client: Client
  /** Makes any call; what it is refused with ends the command. */
  call: (id: EndpointId, parts?: Parts) => Promise<unknown>
  /** The same for a call that is chosen where the program is written: it takes and answers what its endpoint says. */
  ask: Call
  /** The response of a call that is read as it comes. */
  open: (id: EndpointId, parts?: Parts) => Promise<Answer>
  /** What a list call answers with, asked once. */
  list: (id: EndpointId, params: Record<string, string>) => Promise<Listed[]>
  /** The id of the project that the command is about. */
  projectId: () => Promise<string>
}

/** Detaching a disk waits for the guest, which has ten seconds; every other call answers at once. */
const timeoutMs = 60_000

/** What helps where there is no project yet. */
export const noProject = 'You have no project. Create one with `slipway project create NAME`.'

/** Ids are UUIDs: what looks like one is not looked up. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

export function openSession({ server, token, project }: Settings, patienceMs = timeoutMs): Session {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const client = makeClient({ base: server, timeoutMs: patienceMs, request: () => ({ headers }), transport })
  const lists = new Map<string, Promise<Listed[]>>()
  const fail = (error: unknown): never => {
    throw error instanceof ApiError ? failureOf(error, server) : error
  }
  // The types of an endpoint are of no use where it is chosen at run time.
  const loosely = (parts: Parts | undefined) => [parts ?? {}] as unknown as Rest<EndpointId>
  const session: Session = {
    server,
    token,
    client,
    call: (id, parts) => client.call(id, ...loosely(parts)).catch(fail),
    ask: (id, ...args) => client.call(id, ...args).catch(fail),
    open: (id, parts) => client.open(id, ...loosely(parts)).catch(fail),
    list(id, params) {
      const key = JSON.stringify([id, params])
      const found = lists.get(key) ?? session.call(id, { params }).then(listed)
      lists.set(key, found)
      return found
    },
    async projectId() {
      if (project !== undefined && isId(project)) return project
      const projects = await session.list('project.list', {})
      if (project !== undefined) return pick(projects, project, 'project')
      const [only, ...others] = projects
      if (only && others.length === 0) return only.id
      const names = projects.flatMap(labelsOf).map((name) => `  ${name}`)
      throw new Failure(
        'usage',
        projects.length === 0
          ? noProject
          : ['Select a project with --project, SLIPWAY_PROJECT or `slipway use`:', ...names].join('\n'),
      )
    },
  }
  return session
}
