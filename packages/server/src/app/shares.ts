import type { IncomingMessage } from 'node:http'
import type { AccountService } from '../account/account.service.ts'
import type { Config } from '../config.ts'
import type { SessionLines } from '../http/sessions.ts'
import type { Peers } from '../lib/peers.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { addressOf, consoleOf, originOf } from '../share/share.address.ts'
import { canListenAt, makeShareFront } from '../share/share.front.ts'
import { makeShareRepo } from '../share/share.repo.ts'
import { makeShareService } from '../share/share.service.ts'
import type { ShareRecord } from '../share/share.state.ts'
import { makeVisits } from '../share/share.visits.ts'
import type { Base } from './base.ts'
import { makeDial } from './dial.ts'

/** A page has many parts: that its visitor is signed in is looked up once for all of them. */
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
    quotas: QuotaService
    peers: Peers
  },
) {
  const { db, engine, cannot, clock, clockGuard, bus, calls, log } = base
  const { config, accounts } = options
  const ways = config.share
  const place = () => ({ publicUrl: config.publicUrl, ownUrl: options.ownUrl() })
  const repo = makeShareRepo(db)
  const shares = makeShareService({
    repo,
    quotas: options.quotas,
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

  const known = new Map<string, { accountId: Promise<string | null>; until: number }>()
  function accountOf(sessionId: string): Promise<string | null> {
    const before = known.get(sessionId)
    if (before && before.until > clock.monotonic()) return before.accountId
    if (known.size >= sessionsKnown) known.clear()
    const accountId = accounts.accountOf(sessionId)
    known.set(sessionId, { accountId, until: clock.monotonic() + sessionKnownMs })
    accountId.catch(() => known.delete(sessionId))
    return accountId
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
    isOwner: async (share, sessionId) => (await accountOf(sessionId)) === share.ownerId,
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

  bus.reads('share', shares.read)
  bus.onChanged('share', front.refresh)
  options.peers.onGap(front.refreshAll)
  options.peers.onBack(front.refreshAll)
  options.sessionLines.onEnd(() => {
    known.clear()
    front.recheck()
  })
  return {
    shares,
    front,
    /** Where a share is for somebody who came to the console by that host. */
    originOf: (share: ShareRecord, host: string | undefined) => originOf(share, ways, place(), host),
  }
}
