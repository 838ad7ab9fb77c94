import type { IncomingMessage } from 'node:http'
import type { ProjectRole } from '@slipway/contract'
import type { AccountService } from '../account/account.service.ts'
import type { Config } from '../config.ts'
import type { SessionLines } from '../http/sessions.ts'
import type { Peers } from '../lib/peers.ts'
import { addressOf, consoleOf, originOf } from '../share/share.address.ts'
import { canListenAt, makeShareFront } from '../share/share.front.ts'
import { makeShareRepo } from '../share/share.repo.ts'
import { makeShareService } from '../share/share.service.ts'
import type { ShareRecord } from '../share/share.state.ts'
import { makeVisits } from '../share/share.visits.ts'
import type { Base } from './base.ts'
import { makeDial } from './dial.ts'

/** A page has many parts: that its visitor is signed in, and a member, is looked up once for all of them. */
const sessionKnownMs = 5_000
const sessionsKnown = 10_000

/** Shared ports, and how they are reached. */
export function makeShares(
  base: Base,
  options: {
    config: Pick<Config, 'host' | 'publicUrl' | 'share' | 'trustedProxies'>
    ownUrl: () => string
    accounts: Pick<AccountService, 'accountOf'>
    sessionLines: SessionLines
    roleOf: (accountId: string, projectId: string) => Promise<ProjectRole | null>
    peers: Peers
  },
) {
  const { db, engine, cannot, clock, clockGuard, bus, calls, log } = base
  const { config, accounts } = options
  const ways = config.share
  const place = () => ({ publicUrl: config.publicUrl, ownUrl: options.ownUrl() })
  const repo = makeShareRepo(db)
  const isMember = async (accountId: string | null, projectId: string) =>
    accountId !== null && (await options.roleOf(accountId, projectId)) !== null
  const shares = makeShareService({
    repo,
    roleOf: options.roleOf,
    cannot,
    ways,
    addressOf: (share) => addressOf(share, ways, place()),
    canListen: canListenAt(config.host),
    listeningPorts: (vmId) => engine.listeningPorts(vmId),
    changed: bus.changed,
    clock,
    clockGuard,
    log,
  })

  const known = new Map<string, { isMember: Promise<boolean>; until: number }>()
  /** Whether a session is of a member of a project. */
  function isOfMember(sessionId: string, projectId: string): Promise<boolean> {
    const key = `${sessionId} ${projectId}`
    const before = known.get(key)
    if (before && before.until > clock.monotonic()) return before.isMember
    if (known.size >= sessionsKnown) known.clear()
    const asked = accounts.accountOf(sessionId).then((accountId) => isMember(accountId, projectId))
    known.set(key, { isMember: asked, until: clock.monotonic() + sessionKnownMs })
    asked.catch(() => known.delete(key))
    return asked
  }

  const visits = makeVisits({
    async store(counted) {
      for (const { id, projectId } of await repo.addVisits(counted)) bus.changed('share', projectId, id)
    },
    clock,
    log,
  })
  const front = makeShareFront({
    ways,
    host: config.host,
    isSecure: config.publicUrl?.protocol === 'https:',
    trustedProxies: config.trustedProxies,
    read: (ids) => (ids === 'all' ? repo.all() : repo.findAll(ids)),
    isMember: (share, sessionId) => isOfMember(sessionId, share.projectId),
    takeCode: shares.takeCode,
    handOver(share, request: IncomingMessage, path) {
      const query = new URLSearchParams({ share: share.id, path })
      return `${consoleOf(place(), request.headers.host)}/share/open?${query}`
    },
    dial: makeDial(engine, calls.wakeVm),
    isRunning: repo.isRunning,
    visits,
    uses: base.uses,
    clock,
    log,
  })

  bus.reads('share', shares.read, shares.asSeenBy)
  bus.onChanged('share', front.refresh)
  options.peers.onGap(front.refreshAll)
  options.peers.onBack(front.refreshAll)
  function recheck(): void {
    known.clear()
    front.recheck()
  }
  options.sessionLines.onEnd(recheck)
  bus.onMoved(recheck)
  return {
    shares,
    front,
    /** Where a share is for somebody who came to the console by that host. */
    originOf: (share: ShareRecord, host: string | undefined) => originOf(share, ways, place(), host),
  }
}
