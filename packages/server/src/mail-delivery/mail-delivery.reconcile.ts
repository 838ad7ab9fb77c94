/**
 * Sends what waits: a look claims one mail, sends it and stores what came of it. Looks are lanes, so that a slow recipient does not hold
 * up the others; a claim is of one lane, at whichever server. A server that is killed between claim and outcome sends the mail again
 * when the claim is over, under the same id.
 */
import { adminMailTexts } from '@slipway/contract'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { ClockGuard } from '../lib/clock-guard.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { afterTry, claimLastsMs, type Outcome } from './mail-delivery.plan.ts'
import type { ClaimedMail, MailDeliveryRepo } from './mail-delivery.repo.ts'

/** Mails that are sent at once. */
export const lanes: readonly string[] = ['1', '2', '3', '4']
/** Another lane was faster. */
const idleMs = 1_000
/** Whatever waits, it is looked at again after so long. */
const longestMs = 30_000
/** A server that closes waits so long for what it has begun to send. */
const farewellMs = 2_000

export interface MailReconcileOptions {
  repo: Pick<MailDeliveryRepo, 'claim' | 'settle' | 'nextAt' | 'hurry' | 'expire'>
  /** Sends it; throws nothing, and answers with what came of it. */
  send: (mail: ClaimedMail) => Promise<Outcome>
  /** Looks at a lane soon. */
  kick: (lane: string) => void
  clock: Clock
  /** No mail is given up for its age while the clock is not believed. */
  clockGuard: Pick<ClockGuard, 'isTrusted'>
  log: Pick<Log, 'info' | 'error'>
  random?: () => number
}

export function makeMailReconcile(options: MailReconcileOptions) {
  const { repo, send, kick, clock, clockGuard, log, random = Math.random } = options
  let serverFailures = 0
  // By the monotonic clock: nothing is held for hours because somebody set the other one.
  let failedAt = Number.NEGATIVE_INFINITY
  let heldUntil = 0
  const sending = new Set<string>()
  /** The lane that is kicked: it kicks the next one when there is more to do. While all send, the first to be done looks again. */
  const free = () => lanes.find((lane) => !sending.has(lane)) ?? '1'
  const tries = { succeeded: 0, failed: 0 }
  let leave = () => {}
  const left = new Promise<'left'>((resolve) => {
    leave = () => resolve('left')
  })

  function note(mail: ClaimedMail, outcome: Outcome): void {
    const { id, recipient: to, purpose } = mail
    if (outcome === 'sent') {
      tries.succeeded++
      log.info({ id, to, purpose }, 'mail sent')
      return
    }
    tries.failed++
    log.error({ id, to, purpose, tries: mail.tries, reason: outcome.message }, 'mail could not be sent')
  }

  /**
   * Failures of the mail server in a row, with that of a try; null when that is none, or the try began before the last one was known:
   * lanes that fail together have found out one thing.
   */
  function countFailure(outcome: Outcome, begunAt: number): number | null {
    if (outcome === 'sent' || outcome.about !== 'server' || begunAt <= failedAt) return null
    failedAt = clock.monotonic()
    return ++serverFailures
  }

  /** Has all that waits sent once the mail server is well again. */
  async function noteSuccess(): Promise<void> {
    if (serverFailures === 0) return
    serverFailures = 0
    heldUntil = 0
    await repo.hurry(isoTime(clock.now()))
    for (const lane of lanes) kick(lane)
  }

  /** When a mail may be claimed; null: now. */
  async function whenDue(): Promise<Again | null> {
    const now = clock.now()
    const nextAt = await repo.nextAt(isoTime(now))
    if (nextAt === null) return 'when-kicked'
    const waitMs = Date.parse(nextAt) - now
    return waitMs > 0 ? { afterMs: Math.min(waitMs, longestMs) } : null
  }

  return {
    async look(lane: string): Promise<Again> {
      const begunAt = clock.monotonic()
      const heldMs = heldUntil - begunAt
      if (heldMs > 0) return { afterMs: Math.min(heldMs, longestMs) }
      // Claiming takes the place of whoever else writes: it is not done in vain.
      const later = await whenDue()
      if (later !== null) return later
      const now = clock.now()
      const mail = await repo.claim(isoTime(now), isoTime(now + claimLastsMs))
      if (!mail) return { afterMs: idleMs }
      // While the mail server fails one at a time finds out whether it still does.
      sending.add(lane)
      if (sending.size < lanes.length && serverFailures === 0) kick(free())
      const outcome = await Promise.race([send(mail), left]).finally(() => sending.delete(lane))
      // The claim stays: whoever drives next sends it again once that is over.
      if (outcome === 'left') return 'when-kicked'
      note(mail, outcome)
      const verdict = afterTry({
        outcome,
        tries: mail.tries,
        serverFailures: countFailure(outcome, begunAt),
        nowMs: clock.now(),
        expiresMs: mail.expiresAt === null ? null : Date.parse(mail.expiresAt),
        jitter: random(),
      })
      if (verdict.holdMs !== null) heldUntil = clock.monotonic() + verdict.holdMs
      await repo.settle(mail, {
        state: verdict.mail.state,
        next_at: verdict.mail.state === 'waiting' ? isoTime(verdict.mail.nextMs) : null,
        failure: outcome === 'sent' ? null : outcome.message,
        // A secret does not outlive its use.
        ...(verdict.mail.state === 'sent' && { content: null }),
      })
      if (outcome === 'sent') await noteSuccess()
      return 'now'
    },

    async scan(): Promise<readonly string[]> {
      const now = isoTime(clock.now())
      if (clockGuard.isTrusted()) await repo.expire(now, adminMailTexts.expired)
      return (await repo.nextAt(now)) === null ? [] : [free()]
    },

    /** Looks soon for what was queued. */
    kickFree: () => kick(free()),

    /** Tries at once again although the mail server failed: somebody says that it is well. */
    tryAgain(): void {
      heldUntil = 0
      kick(free())
    },

    /** Waits no longer for what is being sent; the server closes. */
    leave(): void {
      setTimeout(leave, farewellMs).unref()
    },

    /** How tries ended since the server started. */
    tally: () => tries,
  }
}
