import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect } from '@playwright/test'
import {
  accountApi,
  type CallInput,
  type CallOutput,
  type Disk,
  type DiskCreate,
  diskApi,
  type Endpoint,
  fillPath,
  type Project,
  projectApi,
  type SshKey,
  sshKeyApi,
  type Vm,
  type VmCreate,
  type VmStatus,
  vmApi,
} from '@slipway/contract'
import { type ClusterHome, newClusterHome } from './cluster-home.ts'
import { test as base } from './measured.ts'
import { newPublicKey, type Person } from './person.ts'
import { startPostgres } from './postgres.ts'
import { type Server, startServer } from './server.ts'

export { expect } from '@playwright/test'

interface TestFixtures {
  server: Server
  /** Somebody nobody has seen before, without an account. */
  person: Person
  /** The same with a verified account, signed in on `page`. */
  user: Person
  /** Calls the API as whoever is signed in on `page`; throws when it refuses. */
  call: Call
  /** The first project of `user`. */
  project: Project
  /** The first key of `user`. */
  sshKey: SshKey
  /** Creates a VM in `project` with `sshKey`, and waits for a status if one is given. */
  makeVm: (name: string, until?: VmStatus, more?: Partial<VmCreate>) => Promise<Vm>
  /** Creates a disk in `project`, and waits until it is available; by default a blank one. */
  addDisk: (name: string, more?: Partial<DiskCreate>) => Promise<Disk>
}

export interface WorkerOptions {
  /** Which database the servers of tests have. */
  database: 'sqlite' | 'postgres'
  /** What runs the guests of pages. */
  pagesOn: 'simulated' | 'kubevirt'
}

interface WorkerFixtures extends WorkerOptions {
  /** A database of its own for a server, as settings; none where SQLite is in its data directory anyway. */
  newDatabase: () => Promise<Record<string, string>>
  /** What runs the guests of a server, as settings, and the end of it. */
  newEngine: () => Promise<Pick<ClusterHome, 'settings' | 'remove'>>
  /** The server of a file: tests of different files never meet, nor use up each other's sign-ups. */
  serverFor: (file: string) => Promise<Server>
}

/** For what the API is asked about: by default the pauses grow to a second, and half of each is waited for nothing. */
export const often = { intervals: [100] }

/** A template that every installation has. */
export const templateId = 'starter'

export const test = base.extend<TestFixtures, WorkerFixtures>({
  database: ['sqlite', { option: true, scope: 'worker' }],
  pagesOn: ['simulated', { option: true, scope: 'worker' }],

  newEngine: [
    async ({ pagesOn }, use) => {
      // At this speed a VM is up after a good second.
      const simulated = { settings: { SLIPWAY_SIMULATED_SPEED: '4' }, remove: async () => {} }
      await use(pagesOn === 'kubevirt' ? newClusterHome : async () => simulated)
    },
    { scope: 'worker' },
  ],

  newDatabase: [
    async ({ database }, use) => {
      if (database === 'sqlite') return use(async () => ({}))
      const postgres = await startPostgres()
      let made = 0
      await use(async () => {
        const name = `server_${++made}`
        await postgres.ask(`create database ${name}`)
        return { SLIPWAY_DATABASE_URL: postgres.url.replace(/[^/]+$/, name) }
      })
      await postgres.remove()
    },
    { scope: 'worker' },
  ],

  serverFor: [
    async ({ newDatabase, newEngine }, use) => {
      let present: { file: string; server: Server; end: () => Promise<void> } | undefined
      await use(async (file) => {
        if (present?.file === file) return present.server
        await present?.end()
        const engine = await newEngine()
        const server = await startServer({ ...engine.settings, ...(await newDatabase()) })
        const end = async () => {
          await server.stop()
          await engine.remove()
        }
        present = { file, server, end }
        return server
      })
      await present?.end()
    },
    { scope: 'worker' },
  ],

  // Bringing up a server for the first test of a file takes nothing of that test's time.
  server: [async ({ serverFor }, use, { file }) => use(await serverFor(file)), { timeout: 600_000 }],

  baseURL: async ({ server }, use) => use(server.url),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
  person: async ({}, use) => use(newPerson()),

  call: async ({ page }, use) => use(callWith(page.request)),

  user: async ({ person, call, server }, use) => {
    await join(call, server, person)
    await use(person)
  },

  project: async ({ user: _, call }, use) =>
    use(await call(projectApi.create, { body: { name: 'Engines', description: 'Brass and steam' } })),

  sshKey: async ({ user: _, call }, use) =>
    use(await call(sshKeyApi.create, { body: { key_name: 'Laptop', ssh_public_key: newPublicKey() } })),

  makeVm: async ({ project, sshKey, call }, use) =>
    use((name, until, more) =>
      makeVm(call, project.id, { name, template_id: templateId, ssh_key_id: sshKey.id, ...more }, until),
    ),

  addDisk: async ({ project, call }, use) =>
    use((name, more) => addDisk(call, project.id, { name, size: '10Gi', source: 'EMPTY', ...more })),
})

export type Call = <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<CallOutput<E>>

/** The API with the cookies of a page or of nobody yet: for what a test needs but is not about. */
export function callWith(request: APIRequestContext): Call {
  return async <E extends Endpoint>(endpoint: E, input: CallInput<E>) => {
    // The compiler cannot look into CallInput while E is open; it has these parts or fewer.
    const { params, query, body } = input as {
      params?: Record<string, string>
      query?: Record<string, string>
      body?: unknown
    }
    const answer = await request.fetch(fillPath(endpoint.path, params), {
      method: endpoint.method,
      ...(query && { params: query }),
      ...(body === undefined ? {} : { data: body }),
    })
    if (!answer.ok()) throw new Error(`${endpoint.id} answered ${answer.status()}: ${await answer.text()}`)
    // The server has put the answer through this endpoint's schema.
    return (endpoint.response ? await answer.json() : undefined) as CallOutput<E>
  }
}

export function newPerson(): Person {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: `ada-${randomUUID()}@example.com`,
    password: 'Analytical-Engine-1843',
  }
}

/** Signs somebody up without the mailed link being followed. */
export async function enrol(call: Call, { firstName, lastName, email, password }: Person): Promise<void> {
  await call(accountApi.signUp, { body: { name: `${firstName} ${lastName}`, email, password } })
}

/** Signs somebody up, verifies the address and signs in. */
export async function join(call: Call, server: Server, person: Person): Promise<void> {
  const { email, password } = person
  await enrol(call, person)
  const link = await server.mailedLink(email, 'verify-email')
  const token = new URL(link, server.url).searchParams.get('token') ?? ''
  await call(accountApi.verifyEmail, { body: { token } })
  await call(accountApi.signIn, { body: { email, password } })
}

/** Creates a VM and waits for a status, if one is given. */
export async function makeVm(call: Call, projectId: string, body: VmCreate, until?: VmStatus): Promise<Vm> {
  let vm = await call(vmApi.create, { params: { projectId }, body })
  if (!until) return vm
  const params = { projectId, vmId: vm.id }
  await expect
    .poll(async () => {
      vm = await call(vmApi.get, { params })
      return vm.status
    }, often)
    .toBe(until)
  return vm
}

/** Creates a disk and waits until it is available. */
export async function addDisk(call: Call, projectId: string, body: DiskCreate): Promise<Disk> {
  const { id } = await call(diskApi.create, { params: { projectId }, body })
  let found: Disk | undefined
  await expect
    .poll(async () => {
      const disks = await call(diskApi.list, { params: { projectId } })
      found = disks.find((disk) => disk.id === id)
      return found?.status
    }, often)
    .toBe('available')
  if (!found) throw new Error(`The disk ${body.name} is gone`)
  return found
}
