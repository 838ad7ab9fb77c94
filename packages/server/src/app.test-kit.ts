/** What API tests stand on: the real app on a real database, the simulated engine and a clock moved by hand. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  accountApi,
  binDaysDefault,
  type CallInput,
  type CallOutput,
  type Endpoint,
  fillPath,
  type Me,
  openSignUp,
  type QuotaLimits,
  type ScalingPolicy,
  type SignUpRule,
  scalingDefaults,
  uploadHoursDefault,
} from '@slipway/contract'
import { pino } from 'pino'
import { afterAll } from 'vitest'
import type { PasswordCost } from './account/password.ts'
import type { AppOptions } from './app/options.ts'
import { buildApp } from './app.ts'
import { openBeside, openTestDb } from './db/database.test-kit.ts'
import type { DatabasePlace, Db } from './db/open.ts'
import type { Capabilities, Engine, Limits } from './engine/engine.ts'
import { makeSimulatedEngine } from './engine/simulated/simulated.ts'
import type { Gateway } from './gateway/gateway.thread.ts'
import { readRecipes, templatesOf } from './image/recipe.ts'
import type { Clock } from './lib/clock.ts'
import { makeHandClock } from './lib/hand-clock.ts'
import { makeRoom } from './lib/peers.test-kit.ts'
import { newEpoch } from './lib/peers.ts'
import type { Mail } from './mail/mail.ts'
import type { OidcSettings } from './oidc/oidc.settings.ts'
import type { ShareWays } from './share/share.state.ts'
import type { BuiltInTemplate } from './template/template.service.ts'

const noQuota: QuotaLimits = {
  vms: null,
  processors: null,
  memory_mb: null,
  disk_bytes: null,
  snapshot_bytes: null,
  shares: null,
  bin_bytes: null,
}
const cheap: PasswordCost = { parallelism: 1, memory: 8, passes: 1 }
const templates = templatesOf(await readRecipes())

export interface Answer<T = unknown> {
  status: number
  body: T
  cookie: string | undefined
  headers: Record<string, unknown>
}

export type TestApp = Awaited<ReturnType<typeof makeTestApp>>

export interface TestAppOptions {
  hostMemoryMb?: number | null
  /** What its engine cannot do. */
  cannot?: Limits
  addresses?: Capabilities['addresses']
  startsAtOnce?: number
  callsPerAccount?: number
  maxVmsPerProject?: number
  /** Limits of each account and of each project; no others are set. */
  accountQuota?: Partial<QuotaLimits>
  projectQuota?: Partial<QuotaLimits>
  maxDiskGb?: number
  maxImageGb?: number
  uploadHours?: number
  scaling?: ScalingPolicy
  admins?: string[]
  signUp?: SignUpRule
  /** Who people can sign in with. */
  oidc?: readonly OidcSettings[]
  activityDays?: number
  /** For how many days what is deleted is kept; 0: it is not. */
  binDays?: number
  dataDir?: string
  /** Those of the recipes unless others are named. */
  templates?: readonly BuiltInTemplate[]
  file?: string
  /** One that is there already, of either kind; else one of the kind that the run is about. */
  database?: DatabasePlace
  gateway?: Gateway
  trustedProxies?: string[]
  publicUrl?: string
  share?: ShareWays
  /** As little as can be, unless a test is about it: nearly every test signs somebody up. */
  passwordCost?: PasswordCost
  /** Hosts that webhooks may be sent to although they are private. */
  privateWebhooks?: string[]
  /** What the mail server makes of a mail before it takes it; takes all unless this throws. */
  mailServer?: (mail: Mail) => Promise<void>
}

/** For tests of what is left when something is deleted for good. */
export const withoutBin: TestAppOptions = { binDays: 0 }

export async function makeTestApp(options: TestAppOptions = {}) {
  const clock = makeHandClock()
  const { hostMemoryMb = 1024 * 1024, cannot, addresses } = options
  const engine = makeSimulatedEngine({
    clock,
    hostMemoryMb,
    ...(cannot && { cannot }),
    ...(addresses && { addresses }),
  })
  await engine.open()
  // A look may be waiting for simulated time to pass.
  return makeTestAppOver({ clock, engine, passTime: () => clock.advance(60_000) }, options)
}

/** The real app on a real database over any engine, which is open. `passTime` lets work under way come to its end. */
export async function makeTestAppOver<C extends Clock, E extends Engine>(
  { clock, engine, passTime }: { clock: C; engine: E; passTime: () => Promise<void> },
  options: TestAppOptions = {},
) {
  const db = await openTestDb(options.file, options.database)
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'slipway-test-')))
  const mails: Mail[] = []
  // What its reconcilers write is fenced by this number.
  const held = { id: 1 as const, number: 1, holder: 'test', beat: 0, home: null }
  await db
    .insertInto('lease')
    .values(held)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const ownLease = { number: () => held.number, holder: () => held.holder }
  const noLease = { number: () => null, holder: () => null }
  /** A server that is started again counts messages anew. */
  let room = makeRoom(newEpoch())
  const build = (over = db, lease: AppOptions['lease'] = ownLease, peers = room.join()) =>
    buildApp({
      config: {
        dataDir,
        publicUrl: new URL(options.publicUrl ?? 'http://slipway.test'),
        allowedHosts: [],
        trustedProxies: options.trustedProxies ?? [],
        productName: 'Slipway',
        contacts: { support: 's@slipway.test', legal: 'l@slipway.test', privacy: 'p@slipway.test' },
        quota: {
          account: { ...noQuota, ...options.accountQuota },
          project: { ...noQuota, vms: options.maxVmsPerProject ?? 5000, ...options.projectQuota },
        },
        perAccount: { calls: options.callsPerAccount ?? 6, uploads: 4, downloads: 3 },
        maxDiskGb: options.maxDiskGb ?? 1024,
        maxImageGb: options.maxImageGb ?? 100,
        uploadHours: options.uploadHours ?? uploadHoursDefault,
        admins: options.admins ?? [],
        signUp: options.signUp ?? openSignUp,
        oidc: [...(options.oidc ?? [])],
        activityDays: options.activityDays ?? 365,
        binDays: options.binDays ?? binDaysDefault,
        scaling: options.scaling ?? scalingDefaults,
        host: '127.0.0.1',
        privateWebhooks: options.privateWebhooks ?? [],
        share: options.share ?? { domain: 'apps.slipway.test', httpPorts: null, tcpPorts: null },
      },
      db: over,
      engine,
      templates: options.templates ?? templates,
      async sendMail(mail) {
        await options.mailServer?.(mail)
        mails.push(mail)
      },
      clock,
      log: pino({ level: 'silent' }),
      webRoot: null,
      ownUrl: () => 'http://slipway.test',
      metricsToken: 'operator-token',
      factorKey: 'a key that tests encrypt secrets with',
      passwordCost: options.passwordCost ?? cheap,
      startsAtOnce: options.startsAtOnce ?? 100,
      gateway: options.gateway ?? null,
      peers,
      lease,
    })
  let built = await build()
  await built.start()
  await built.drive()

  async function raw(
    method: Endpoint['method'],
    url: string,
    init: { payload?: string | object; headers?: Record<string, string> } = {},
    server = built,
  ): Promise<Answer> {
    const response = await server.app.inject({ method, url, ...init })
    await built.mailsIdle()
    const cookie = response.cookies.find((one) => one.name.endsWith('slipway_session'))
    return {
      status: response.statusCode,
      body: response.body === '' ? undefined : response.json(),
      cookie: cookie ? `${cookie.name}=${cookie.value}` : undefined,
      headers: response.headers,
    }
  }

  /** Speaks for whoever has the cookie; to this server unless another is named. */
  function client(cookie?: string, server?: typeof built) {
    const headers: Record<string, string> = cookie ? { cookie } : {}
    const send = (
      method: Endpoint['method'],
      url: string,
      payload?: string | object,
      more: Record<string, string> = {},
    ) => {
      const init = { ...(payload !== undefined && { payload }), headers: { ...headers, ...more } }
      return raw(method, url, init, server)
    }
    return {
      raw: send,
      /** Makes something; answers with its id. */
      make: async (url: string, body: object): Promise<string> =>
        ((await send('POST', url, body)).body as { id: string }).id,
      /** Calls an endpoint of the contract; the body is not checked here, so tests can send nonsense. */
      async call<E extends Endpoint>(
        endpoint: E,
        input?: Partial<CallInput<E>> | { body: unknown; params?: unknown },
      ): Promise<Answer<CallOutput<E>>> {
        const { params, body } = (input ?? {}) as { params?: Record<string, string>; body?: object }
        const init = { ...(body !== undefined && { payload: body }), headers }
        const answer = await raw(endpoint.method, fillPath(endpoint.path, params), init, server)
        return answer as Answer<CallOutput<E>>
      },
    }
  }

  type Account = { email: string; password: string }
  const signIn = ({ email, password }: Account, more: object = {}) =>
    client().call(accountApi.signIn, { body: { email, password, ...more } })
  /** Somebody in another browser, signed in once more. */
  const again = async (person: Account) => client((await signIn(person)).cookie)

  /** The token of a new link for another password. */
  async function resetToken(email: string): Promise<string> {
    await client().call(accountApi.forgotPassword, { body: { email } })
    await built.idle()
    return tokenOf(lastMail(mails, email))
  }

  let people = 0
  /** Signs up, verifies by the mailed link and signs in. */
  async function signedIn(name = 'Ada Lovelace') {
    const email = `person-${++people}@slipway.test`
    const password = 'Correct-horse-1'
    const open = client()
    await open.raw('POST', '/api/auth/signup', { name, email, password })
    await open.raw('POST', '/api/auth/verify-email', { token: tokenOf(lastMail(mails, email)) })
    const { body, cookie } = await signIn({ email, password })
    // Nobody is asked for a code yet; where the server refuses, nobody is signed in.
    const { user } = body as { user?: Me }
    return { id: user?.id ?? '', email, password, cookie, ...client(cookie) }
  }

  /** Somebody new who was invited to a project and joined it. */
  async function member(
    owner: Pick<ReturnType<typeof client>, 'raw'>,
    projectId: string,
    role: 'viewer' | 'operator' = 'viewer',
    name = 'Bob',
  ) {
    const person = await signedIn(name)
    await owner.raw('POST', `/api/projects/${projectId}/invitations`, { email: person.email, role })
    const token = tokenOf(lastMail(mails, person.email))
    await person.raw('POST', '/api/invitations/accept', { token })
    return person
  }

  const closeServer = (server = built) => Promise.all([server.close(), passTime()])

  /** Closes the server, with whatever it is doing, and starts another over the same database and engine. */
  async function restart(): Promise<void> {
    await closeServer()
    await startAnew()
  }

  /**
   * Starts another server over the same database and engine without ending the one before, as after `kill -9`. Who calls
   * it has made sure that the one before does nothing any more.
   */
  async function startAnew(): Promise<void> {
    room = makeRoom(newEpoch())
    built = await build()
    await built.start()
    await built.drive()
  }

  const beside: { server: typeof built; db: Db }[] = []
  /** Another server on the same database and engine, which does not drive; gives clients of its own. */
  async function serverBeside() {
    const its = openBeside(db)
    const server = await build(its, noLease)
    await server.start()
    beside.push({ server, db: its })
    return {
      client: (cookie?: string) => client(cookie, server),
      subscribe: server.subscribe,
      mailsIdle: server.mailsIdle,
      app: server.app,
    }
  }

  async function close(): Promise<void> {
    for (const other of beside) {
      await closeServer(other.server)
      if (other.db !== db) await other.db.destroy()
    }
    await closeServer()
    await engine.close()
    await db.destroy()
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  }

  return {
    get app() {
      return built.app
    },
    /** Where files are that belong to the server. */
    dataDir,
    idle: () => built.idle(),
    /** Once nothing is on its way to the mail server. */
    mailsIdle: () => built.mailsIdle(),
    subscribe: (...args: Parameters<typeof built.subscribe>) => built.subscribe(...args),
    close,
    restart,
    startAnew,
    serverBeside,
    /** Nothing that servers tell each other meanwhile is heard; afterwards they know that. */
    quietly: (act: () => Promise<unknown>) => room.quietly(act),
    clock,
    db,
    engine,
    mails,
    client,
    signIn,
    again,
    resetToken,
    signedIn,
    member,
  }
}

/** A test app that closes itself when the file's tests are done. */
export async function testApp(options?: TestAppOptions): Promise<TestApp> {
  const app = await makeTestApp(options)
  afterAll(() => app.close())
  return app
}

export function lastMail(mails: Mail[], to: string): Mail {
  const mail = mails.findLast((one) => one.to === to)
  if (!mail) throw new Error(`no mail to ${to}`)
  return mail
}

/** The token in a mailed link. */
export function tokenOf(mail: Mail): string {
  const token = /token=([\w-]+)/.exec(mail.text)?.[1]
  if (!token) throw new Error('the mail has no link')
  return token
}

/** A fresh ed25519 public key in OpenSSH form. */
export function newPublicKey(comment = 'test'): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(point)])
  return `ssh-ed25519 ${blob.toString('base64')} ${comment}`
}
