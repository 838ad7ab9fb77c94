/** What follows from a try to send a delivery: pure, so that each case can be tested. */
import { webhookPatienceDays, webhookTexts } from '@slipway/contract'
import { pauseAfter } from '../lib/retry-pauses.ts'

const patienceMs = webhookPatienceDays * 24 * 60 * 60_000

/** What came of a try. */
export interface Outcome {
  /** Null: no answer. */
  status: number | null
  /** A sentence, of what is no success. */
  failure: string | null
  /** What the receiver asked to wait. */
  retryAfterMs: number | null
}

export interface Tried {
  outcome: Outcome
  /** Of this delivery, this one included. */
  tries: number
  /** A test is tried once and says nothing of other deliveries unless it succeeds. */
  isTest: boolean
  /** When the first of the tries failed that failed in a row, for this webhook; null when the one before succeeded. */
  failingSinceMs: number | null
  nowMs: number
  /** From 0 to 1: what failed together does not come back together. */
  jitter: number
}

export interface Verdict {
  delivery: { state: 'delivered' | 'failed' } | { state: 'waiting'; nextMs: number }
  /** What becomes of the webhook; null: nothing. */
  webhook:
    | { is: 'well' }
    | {
        is: 'failing'
        sinceMs: number
        /** Until when all of its deliveries wait; null: the others go on. */
        heldUntilMs: number | null
        /** Why it is paused; null: it is not. */
        pausedFor: string | null
      }
    | null
}

export const isSuccess = ({ status }: Pick<Outcome, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** Whether the receiver refused this one request: another one may be taken. Anything else is about the receiver. */
const isAboutRequest = ({ status }: Outcome): boolean =>
  status !== null && status >= 400 && status < 500 && ![401, 403, 404, 408, 410, 429].includes(status)

/** What becomes of a delivery and of its webhook. */
export function afterTry({ outcome, tries, isTest, failingSinceMs, nowMs, jitter }: Tried): Verdict {
  if (isSuccess(outcome)) return { delivery: { state: 'delivered' }, webhook: { is: 'well' } }
  if (isTest) return { delivery: { state: 'failed' }, webhook: null }
  const isGone = outcome.status === 410
  const pauseMs = isGone ? null : pauseAfter(tries, outcome.retryAfterMs, jitter)
  const sinceMs = Math.min(failingSinceMs ?? nowMs, nowMs)
  const isOver = nowMs - sinceMs >= patienceMs
  return {
    delivery: pauseMs === null ? { state: 'failed' } : { state: 'waiting', nextMs: nowMs + pauseMs },
    webhook: {
      is: 'failing',
      sinceMs,
      heldUntilMs: pauseMs === null || isAboutRequest(outcome) ? null : nowMs + pauseMs,
      pausedFor: isGone
        ? webhookTexts.gone
        : isOver
          ? `No delivery has succeeded for ${webhookPatienceDays} days. ${outcome.failure ?? ''}`.trim()
          : null,
    },
  }
}
