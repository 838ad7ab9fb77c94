/** What follows from a try to send a mail: pure, so that each case can be tested. */
import { pauseAfter } from '../lib/retry-pauses.ts'

/** After a failure of the mail server all mails wait, and one is tried after so long at most. */
const longestHoldMs = 5 * 60_000

export type Outcome = 'sent' | { message: string; about: 'mail' | 'later' | 'server' }

export interface Tried {
  outcome: Outcome
  /** Of this mail, this one included. */
  tries: number
  /** Failures of the mail server in a row, this one included; null: this one does not count, as the last was not known when it began. */
  serverFailures: number | null
  nowMs: number
  /** When the secret in it expires; null: it has none. */
  expiresMs: number | null
  /** From 0 to 1. */
  jitter: number
}

export interface Verdict {
  mail: { state: 'sent' | 'failed' } | { state: 'waiting'; nextMs: number }
  /** How long no mail is tried; null: the others go on. */
  holdMs: number | null
}

export function afterTry({ outcome, tries, serverFailures, nowMs, expiresMs, jitter }: Tried): Verdict {
  if (outcome === 'sent') return { mail: { state: 'sent' }, holdMs: null }
  const pauseMs = outcome.about === 'mail' ? null : pauseAfter(tries, null, jitter)
  const isOver = pauseMs === null || (expiresMs !== null && nowMs + pauseMs >= expiresMs)
  return {
    mail: isOver ? { state: 'failed' } : { state: 'waiting', nextMs: nowMs + pauseMs },
    holdMs:
      outcome.about === 'server' && serverFailures !== null
        ? Math.min(pauseAfter(serverFailures, null, jitter) ?? longestHoldMs, longestHoldMs)
        : null,
  }
}

/** When a claimed try is over although nobody stored what came of it: the server was killed. */
export const claimLastsMs = 2 * 60_000
