import { createHash, randomBytes } from 'node:crypto'
import {
  type Limits,
  messages,
  type Parsed,
  type ProjectRole,
  roleMay,
  type Share,
  type shareApi,
  shareTexts,
  unlessLimited,
} from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { ClockGuard } from '../lib/clock-guard.ts'
import { newId } from '../lib/id.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse, require422 } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { reshared, shared, unshared } from './share.activity.ts'
import { portsFrom } from './share.address.ts'
import type { NewShare, Refusal, ShareRepo } from './share.repo.ts'
import { limitsOf, type ShareRecord, type ShareWays, type ShareWish, toWire } from './share.state.ts'

type CreateBody = Parsed<typeof shareApi.create>['body']
type UpdateBody = Parsed<typeof shareApi.update>['body']

/** How many free ports are looked for at a time: others may take some of them meanwhile. */
const spare = 8

/** A browser goes from the console to the share at once. */
const codeMs = 60_000
/** How often it is looked at least whether a share has reached its end. */
const lookEveryMs = 30_000

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex')

/** Of each secret, in bytes. */
const secretBytes = 24

export type ShareService = ReturnType<typeof makeShareService>

export interface ShareServiceOptions {
  repo: ShareRepo
  quotas: Pick<QuotaService, 'require'>
  /** What an account is in a project; null: no member. */
  roleOf: (accountId: string, projectId: string) => Promise<ProjectRole | null>
  /** What the engine cannot do. */
  cannot: Limits
  ways: ShareWays
  /** Where people find a share. */
  addressOf: (share: ShareRecord) => string
  /** Whether this server can listen at a port of the host: another program may have it. */
  canListen: (port: number) => Promise<boolean>
  /** Ports that programs in a VM listen on; null when nobody can tell. */
  listeningPorts: (vmId: string) => Promise<number[] | null>
  changed: Changed
  clock: Clock
  /** Asked before shares are deleted because their end is reached. */
  clockGuard: Pick<ClockGuard, 'isTrusted'>
  log: Pick<Log, 'error'>
}

const refusals: Record<Exclude<Refusal, 'vm-missing'>, string> = {
  'already-shared': shareTexts.alreadyShared,
  'too-many': shareTexts.tooMany,
  'no-port-left': shareTexts.noPortLeft,
}

export function makeShareService(options: ShareServiceOptions) {
  const { repo, cannot, ways, changed, clock } = options
  const wire = (share: ShareRecord): Share => toWire(share, options.addressOf(share))
  const secret = () => randomBytes(secretBytes).toString('base64url')

  async function own(projectId: string, shareId: string): Promise<ShareRecord> {
    const share = await repo.find(shareId)
    if (share?.projectId !== projectId) throw new Problem(404, shareTexts.notFound)
    return share
  }

  async function requireVm(projectId: string, vmId: string): Promise<void> {
    if (!(await repo.hasVm(projectId, vmId))) throw new Problem(404, messages.vmNotFound)
  }

  /** Refuses what cannot be shared here at all. */
  function requireWay(kind: ShareWish['kind']): void {
    require422(unlessLimited(limitsOf(cannot.ports, ways)[kind]))
  }

  function requireFitting(kind: ShareWish['kind'], { audience, expires_at }: UpdateBody): void {
    if (kind === 'tcp' && audience !== 'everybody') throw refuse('audience', shareTexts.tcpAudience)
    if (expires_at !== null && Date.parse(expires_at) <= clock.now())
      throw refuse('expires_at', shareTexts.expiryPast)
  }

  /** Ports of the host that shares of a kind may have; null when it needs none. */
  async function hostPortsFor(kind: ShareWish['kind'], count: number): Promise<number[] | null> {
    const range = kind === 'tcp' ? ways.tcpPorts : ways.domain === null ? ways.httpPorts : null
    if (range === null) return null
    const given = await repo.hostPorts()
    const taken = new Set(given)
    const last = given.findLast((port) => port >= range.first && port <= range.last) ?? null
    const found: number[] = []
    for (const port of portsFrom(range, last)) {
      if (found.length >= count + spare) break
      if (!taken.has(port) && (await options.canListen(port))) found.push(port)
    }
    return found
  }

  function fresh(
    vm: { id: string; projectId: string },
    wanted: ShareWish,
    hostPorts: readonly number[] | null,
  ): NewShare {
    const now = clock.now()
    return {
      ...wanted,
      id: newId(now),
      vmId: vm.id,
      projectId: vm.projectId,
      hostPorts,
      suffix: randomBytes(3).toString('hex'),
      secret: secret(),
      cookieKey: secret(),
      createdAt: isoTime(now),
    }
  }

  const added = (added: ShareRecord | Refusal): ShareRecord => {
    if (typeof added !== 'string') return added
    if (added === 'vm-missing') throw new Problem(404, messages.vmNotFound)
    throw new Problem(409, refusals[added])
  }

  /** Whoever may not share has no links that let everybody in. */
  const asSeenBy = (share: Share, role: ProjectRole): Share =>
    share.audience === 'link' && roleMay(role, 'share.create') !== true ? { ...share, address: '' } : share

  return {
    /** For the event bus. */
    read: async (ids: readonly string[]): Promise<Share[]> => (await repo.findAll(ids)).map(wire),

    async list(projectId: string): Promise<Share[]> {
      return (await repo.list(projectId)).map(wire)
    },

    asSeenBy,

    /** As a member of the project may see them. */
    async listFor(userId: string, projectId: string): Promise<Share[]> {
      const [role, all] = await Promise.all([options.roleOf(userId, projectId), repo.list(projectId)])
      return all.map((share) => asSeenBy(wire(share), role ?? 'viewer'))
    },

    async create(userId: string, projectId: string, vmId: string, input: CreateBody): Promise<Share> {
      await requireVm(projectId, vmId)
      requireFitting(input.kind, input)
      requireWay(input.kind)
      const { port, kind, audience, expires_at: expiresAt } = input
      const wanted = fresh(
        { id: vmId, projectId },
        { port, kind, audience, expiresAt: expiresAt && isoTime(Date.parse(expiresAt)) },
        await hostPortsFor(kind, 1),
      )
      const share = added(
        await repo.insert(
          wanted,
          (one) => shared(one, userId, clock.now()),
          (tx) => options.quotas.require(tx, projectId, { shares: 1 }),
        ),
      )
      changed('share', projectId, share.id)
      return wire(share)
    },

    /**
     * For the VM service: makes ready to share ports of a VM that is being created, with the audience project. Refuses what
     * cannot be. `add` is for the transaction that stores the VM, `announce` comes after it.
     */
    async forNewVm(userId: string, projectId: string, ports: readonly number[]) {
      if (ports.length > 0) requireWay('http')
      const hostPorts = ports.length > 0 ? await hostPortsFor('http', ports.length) : null
      let wanted: ReturnType<typeof fresh>[] = []
      return {
        async add(tx: Tx, vmId: string): Promise<void> {
          wanted = ports.map((port) =>
            fresh(
              { id: vmId, projectId },
              { port, kind: 'http', audience: 'project', expiresAt: null },
              hostPorts,
            ),
          )
          for (const one of wanted)
            added(await repo.add(tx, one, (share) => shared(share, userId, clock.now())))
        },
        announce(): void {
          for (const { id } of wanted) changed('share', projectId, id)
        },
      }
    },

    async update(userId: string, projectId: string, shareId: string, input: UpdateBody): Promise<Share> {
      const { kind } = await own(projectId, shareId)
      requireFitting(kind, input)
      const share = await repo.change(
        shareId,
        (current) => ({
          audience: input.audience,
          expires_at: input.expires_at && isoTime(Date.parse(input.expires_at)),
          // Who was let in before may not be any more, and a link that was withdrawn does not come back.
          ...(input.audience !== current.audience && { secret: secret(), cookie_key: secret() }),
        }),
        (one) => reshared(one, userId, clock.now()),
      )
      if (!share) throw new Problem(404, shareTexts.notFound)
      changed('share', projectId, shareId)
      return wire(share)
    },

    async delete(userId: string, projectId: string, shareId: string): Promise<void> {
      await own(projectId, shareId)
      const isGone = await repo.remove(shareId, (one) => unshared(one, userId, clock.now()))
      if (!isGone) throw new Problem(404, shareTexts.notFound)
      changed('share', projectId, shareId)
    },

    /**
     * For somebody who is signed in and opens a share of theirs: a code that the share takes for that session, once and
     * within a minute. Null when there is no such share of theirs.
     */
    async lead(
      session: { id: string; user: { id: string } },
      shareId: string,
    ): Promise<{ share: ShareRecord; code: string } | null> {
      const share = await repo.find(shareId)
      if (share?.kind !== 'http' || (await options.roleOf(session.user.id, share.projectId)) === null)
        return null
      const code = secret()
      const now = clock.now()
      const row = {
        code_hash: hashOf(code),
        share_id: share.id,
        session_id: session.id,
        expires_at: isoTime(now + codeMs),
      }
      await repo.addCode(row, isoTime(now))
      return { share, code }
    },

    /** The session that a code leads from; null when it leads nowhere, or not any more. */
    takeCode: (share: ShareRecord, code: string): Promise<string | null> =>
      repo.takeCode(share.id, hashOf(code), isoTime(clock.now())),

    /** Gives ports to those shares that were made when none was needed. */
    async assignPorts(): Promise<void> {
      const without = (await repo.all()).filter(({ hostPort }) => hostPort === null)
      for (const { id, kind, projectId } of without) {
        const ports = await hostPortsFor(kind, 1)
        if (ports === null) continue
        await repo.setHostPort(id, ports)
        changed('share', projectId, id)
      }
    },

    /** Deletes what has reached its end, now and whenever something does. Returns the way to stop. */
    watchEnds(within: <T>(act: () => T) => T): () => void {
      let cancel = () => {}
      let isOver = false
      async function look(): Promise<void> {
        if (options.clockGuard.isTrusted())
          for (const { id, projectId } of await repo.removeExpired(clock.now()))
            changed('share', projectId, id)
        const next = await repo.nextEnd()
        const leftMs = next === null ? lookEveryMs : Math.max(Date.parse(next) - clock.now(), 1_000)
        again(Math.min(leftMs, lookEveryMs))
      }
      function again(ms: number): void {
        if (isOver) return
        cancel = clock.after(ms, () =>
          inBackground(
            options.log,
            'ending shared ports',
            within(look).catch((error: unknown) => {
              again(lookEveryMs)
              throw error
            }),
          ),
        )
      }
      again(0)
      return () => {
        isOver = true
        cancel()
      }
    },

    async ports(projectId: string, vmId: string): Promise<{ ports: number[] | null }> {
      await requireVm(projectId, vmId)
      return { ports: await options.listeningPorts(vmId) }
    },
  }
}
