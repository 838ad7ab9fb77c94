/** Contract fuzzing: every endpoint, every role, hostile values, against a running server. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  diskApi,
  type Endpoint,
  endpoints,
  projectApi,
  sshKeyApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import fc from 'fast-check'
import { type Request, requestOf } from './client.ts'
import type { Finding } from './compare.ts'
import { anyDraft, type Draft, isRef, markSign, type Role, roles, spoilPath } from './fuzz-inputs.ts'
import { judgeAnswer } from './fuzz-judge.ts'
import { type Host, makeHost, operator } from './host.ts'
import { lookAt } from './look.ts'
import { makePerson, type Person } from './people.ts'
import { publicKeyOf } from './public-key.ts'
import type { Kind } from './world.ts'

export interface FuzzOptions {
  seed: number
  calls: number
  log: (line: string) => void
  /** Ends it early. */
  stop?: AbortSignal
}

type SignedIn = Exclude<Role, 'nobody'>

interface Caller {
  person: Person
  /** A text that is in the names of all their objects and nowhere else. */
  mark: string
  ids: Partial<Record<Kind, string[]>>
}

/** Which kind of object an id names, by the name of its field. */
const kindOf: Record<string, Kind> = {
  projectId: 'project',
  project_id: 'project',
  sshKeyId: 'sshKey',
  ssh_key_id: 'sshKey',
  templateId: 'template',
  vmId: 'vm',
  vm_id: 'vm',
  diskId: 'disk',
  disk_id: 'disk',
  snapshotId: 'vmSnapshot',
  snapshot_id: 'diskSnapshot',
  diskSnapshotId: 'diskSnapshot',
  poolId: 'vmPool',
  setId: 'vmSet',
}

const signedIn = roles.filter((role): role is SignedIn => role !== 'nobody')
const repository = fileURLToPath(new URL('../..', import.meta.url))
/** How many calls are under way at a time, and after how many the callers look up their ids anew. */
const lanes = 3
const refreshEvery = 500

async function makeCaller(host: Host, role: SignedIn): Promise<Caller> {
  const person = await makePerson(host, signedIn.indexOf(role) === 2 ? 0 : signedIn.indexOf(role) + 1, role)
  const mark = `mark-${randomBytes(6).toString('hex')}-`
  async function create(endpoint: Endpoint, params: Record<string, string>, body: object): Promise<string> {
    const answer = await person.client.send(requestOf(endpoint, { params, body }))
    if (answer?.status !== endpoint.status) throw new Error(`${endpoint.id} answered ${answer?.text}`)
    return String((JSON.parse(answer.text) as { id: unknown }).id)
  }
  const projectId = await create(projectApi.create, {}, { name: `${mark}project` })
  const key = { key_name: `${mark}key`, ssh_public_key: publicKeyOf(mark) }
  const ssh_key_id = await create(sshKeyApi.create, {}, key)
  const common = { template_id: 'starter', ssh_key_id }
  await create(vmApi.create, { projectId }, { ...common, name: `${mark}vm` })
  await create(diskApi.create, { projectId }, { name: `${mark}disk`, size: '1Gi', source: 'EMPTY' })
  await create(vmPoolApi.create, { projectId }, { ...common, name: `${mark}pool` })
  await create(vmSetApi.create, { projectId }, { ...common, name: `${mark}set` })
  return { person, mark, ids: {} }
}

async function refresh(callers: Map<SignedIn, Caller>): Promise<void> {
  for (const [user, caller] of [...callers.values()].entries()) {
    const seen = (await lookAt(caller.person.client, user)) ?? []
    caller.ids = {}
    for (const { kind, object } of seen) {
      caller.ids[kind] ??= []
      caller.ids[kind].push(object.id)
    }
  }
}

/** Puts ids and marks in place of what stands for them. `foreign` tells whether somebody else's id came in. */
function fillIn(draft: Draft, callers: ReadonlyMap<SignedIn, Caller>): { filled: Draft; foreign: boolean } {
  let foreign = false
  const own = draft.role === 'nobody' ? undefined : callers.get(draft.role)
  const other = callers.get(draft.role === 'alice' ? 'bob' : 'alice')
  // Templates and the notice are everybody's, so what stands there tells nothing.
  const isForAll = /^(template|notice)\./.test(draft.endpoint)
  const mark = isForAll ? 'common-' : (own?.mark ?? 'nobody-')
  function fill(value: unknown, name: string, decides: boolean): unknown {
    if (typeof value === 'string') return value.replaceAll(markSign, mark)
    if (isRef(value)) {
      const kind = kindOf[name]
      const ids = (kind && (value.ref === 'own' ? own : other)?.ids[kind]) ?? []
      const id = ids[value.index % Math.max(1, ids.length)]
      if (id !== undefined && value.ref === 'foreign' && decides && kind !== 'template') foreign = true
      return id ?? 'none'
    }
    if (Array.isArray(value)) return value.map((one) => fill(one, name, decides))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, key, decides)]))
  }
  const part = (values: Record<string, unknown>, decides: boolean) =>
    fill(values, '', decides) as Record<string, unknown>
  const filled = { ...draft, params: part(draft.params, true), query: part(draft.query, false) }
  return { filled: { ...filled, body: fill(draft.body, '', false) }, foreign }
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

function requestFor(endpoint: Endpoint, { params, query, body, spoilt, role }: Draft): Request {
  const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  const wellFormed = (value: unknown) => text(value).toWellFormed()
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(wellFormed(params[name])),
  )
  const pairs = Object.entries(query).map(([name, value]) => [name, wellFormed(value)])
  const whole = pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path
  const json = body === undefined ? undefined : JSON.stringify(body)
  return {
    method: endpoint.method,
    path: spoilt.startsWith('path ') ? spoilPath(whole, Number(spoilt.slice(5))) : whole,
    ...(json !== undefined && { body: spoilt === 'cut body' ? json.slice(0, -1) : json }),
    headers: {
      ...(spoilt === 'wrong type' && json !== undefined && { 'content-type': 'text/plain' }),
      ...(spoilt === 'upgrade' && upgrade),
      ...(endpoint.auth === 'operator' &&
        role === 'admin' && { authorization: `Bearer ${operator.metricsToken}` }),
    },
  }
}

/** Findings of the same sort are told once: what is spoilt fails alike at every endpoint. */
function sortOf({ rule }: Finding, { endpoint, role, spoilt }: Draft): string {
  return spoilt === 'no' ? `${rule} ${endpoint} ${role}` : `${rule} ${spoilt}`
}

/** True when no call was answered as it must not be; prints what was. */
export async function fuzz({ seed, calls, log, stop }: FuzzOptions): Promise<boolean> {
  const host = await makeHost('simulated', {
    SLIPWAY_SIMULATED_SPEED: '50',
    SLIPWAY_MAX_VMS_PER_PROJECT: '30',
  })
  const callers = new Map<SignedIn, Caller>()
  const violations = new Set<string>()
  const statuses = new Map<number, number>()
  let sent = 0
  let longest = 0
  try {
    await host.start()
    for (const role of signedIn) callers.set(role, await makeCaller(host, role))
    const nobody = await makePerson(host, 9, 'victim')
    nobody.client.cookie = ''
    await refresh(callers)
    // Accounts are listed by the names that their users gave them.
    const showsEverything = ['activity.export', 'host.metrics', 'operation.listAll', 'adminAccount.list']
    const everySecret = [
      '$argon2',
      'node_modules',
      '\n    at ',
      host.dataDir,
      repository,
      operator.metricsToken,
    ]

    function secretsOf({ role, endpoint }: Draft): string[] {
      // Who may read everything may read this.
      if (role === 'admin' && showsEverything.includes(endpoint)) return everySecret
      const others = [...callers].filter(([other]) => other !== role)
      return [...everySecret, ...others.flatMap(([, { mark, person }]) => [mark, person.email])]
    }

    async function tryOut(draft: Draft): Promise<Finding | null> {
      const endpoint = endpoints.find(({ id }) => id === draft.endpoint)
      if (!endpoint) throw new Error(`There is no ${draft.endpoint}`)
      const { filled, foreign } = fillIn(draft, callers)
      const person = draft.role === 'nobody' ? nobody : callers.get(draft.role)?.person
      if (!person) throw new Error(`There is no ${draft.role}`)
      if (++sent % refreshEvery === 0) await refresh(callers)
      const request = requestFor(endpoint, filled)
      // The server may close a kept connection just when it is used again.
      const answer = (await person.client.send(request)) ?? (await person.client.send(request, 'new'))
      statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
      longest = Math.max(longest, answer?.took ?? 0)
      const out = endpoint.id === 'account.signOut' || answer?.status === 401
      if (out && draft.role !== 'nobody' && endpoint.auth !== 'operator') await person.signIn()
      return judgeAnswer({ endpoint, draft: filled, foreign, secrets: secretsOf(draft) }, answer)
    }

    function note(finding: Finding, draft: Draft): void {
      violations.add(sortOf(finding, draft))
      log(`VIOLATION (${finding.rule}), seed ${seed}: ${finding.message}`)
    }

    async function runLane(lane: number): Promise<void> {
      for (let round = 0; sent < calls && !stop?.aborted; round++) {
        // The shortest draft is the last that failed.
        let last: Finding | null = null
        const property = fc.asyncProperty(anyDraft, async (draft) => {
          const finding = await tryOut(draft)
          if (finding === null || violations.has(sortOf(finding, draft))) return true
          last = { ...finding, message: `${finding.message}\n    ${JSON.stringify(draft)}` }
          return false
        })
        const numRuns = Math.min(2_000, Math.ceil((calls - sent) / lanes))
        const options = { seed: seed + 1_000 * round + lane, numRuns, interruptAfterTimeLimit: 120_000 }
        const { failed, counterexample, errorInstance } = await fc.check(property, options)
        const draft = counterexample?.[0]
        if (failed && (!last || !draft)) throw errorInstance
        if (last && draft) note(last, draft)
      }
    }
    await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status} ${times}`)
    log(`${sent} calls with seed ${seed}, longest ${Math.round(longest)} ms; by status: ${counts.join(', ')}`)
    log(violations.size === 0 ? 'no violation' : `${violations.size} violations`)
    return violations.size === 0
  } finally {
    for (const { person } of callers.values()) person.client.close()
    await host.remove()
  }
}
