/**
 * What stands on a session: event streams and sockets. All of it ends with the session, at once when somebody signs
 * out or the account's sessions end, and at the next check when the session expired or the account was disabled.
 * The number of lines is limited, for one account and for all, because each costs work with every change.
 */
import { type ApiTokenScope, type Me, messages } from '@slipway/contract'
import type { Clock } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { refuseForNow } from '../lib/problem.ts'

/** A signed-in user by one session, or by an API token, on which the same stands as on a session. */
export interface Session {
  /** What the session or the token is stored under; never the cookie or the token itself. */
  id: string
  user: Me
  /** What the API token may be used for; null for a session. */
  scope: ApiTokenScope | null
  /** The account is being deleted: nothing can be done with it but to keep it. */
  isLeaving?: boolean
  /** Whether its user confirmed a short time ago who they are. */
  isProven: boolean
}

export type LineKind = 'stream' | 'socket'

interface Limit {
  ofOneAccount: number
  inAll: number
}

export const lineLimits: Record<LineKind, Limit> = {
  // A browser opens one for each tab.
  stream: { ofOneAccount: 30, inAll: 2_000 },
  socket: { ofOneAccount: 120, inAll: 2_000 },
}

const refusals: Record<LineKind, { ofOneAccount: string; inAll: string }> = {
  stream: { ofOneAccount: messages.tooManyStreams, inAll: messages.noStreamLeft },
  socket: { ofOneAccount: messages.tooManyConsoles, inAll: messages.noConsoleLeft },
}

const retryAfterS = 30
const checkEveryMs = 15_000
const checkWithinMs = 10_000

/** What is open on a session. */
export interface Line {
  /** Whether the user may still have it. A rejection means that nobody knows: it is asked again later. */
  isAllowed: () => Promise<boolean>
  /** Ends the line. Called at most once. */
  end: () => void
}

/** A place among the lines, taken before the line is opened. */
export interface Place {
  /** From now on the line ends with its session; at once if that has ended meanwhile. */
  hold: (line: Line) => void
  /** Gives the place back; the line is over. */
  leave: () => void
}

export interface SessionLines {
  /** Takes a place, or throws 429 or 503. */
  take: (kind: LineKind, session: Session) => Place
  /** Ends what stands on one session. */
  endSession: (sessionId: string) => void
  /** Asks at once of all that stands on sessions of an account whether it still may: what it may has changed. */
  recheck: (accountId: string) => void
  /** Ends what stands on any session of an account. */
  endAccount: (accountId: string) => void
  /** Calls back when sessions have ended that anything may stand on. */
  onEnd: (listener: () => void) => void
  count: (kind: LineKind) => number
}

interface Taken {
  kind: LineKind
  session: Session
  line: Line | null
  isOver: boolean
  /** Counts checks: of two at once the later one is followed by the next. */
  checks: number
  stopChecking: () => void
}

export function makeSessionLines(clock: Clock, log: Pick<Log, 'warn' | 'error'>): SessionLines {
  const bySession = new Map<string, Set<Taken>>()
  const byAccount = new Map<string, Set<Taken>>()
  const counts: Record<LineKind, number> = { stream: 0, socket: 0 }
  const listeners: (() => void)[] = []
  const tellEnd = () => {
    for (const listener of listeners) listener()
  }

  function leave(taken: Taken): void {
    taken.stopChecking()
    if (!removeFrom(bySession, taken.session.id, taken)) return
    removeFrom(byAccount, taken.session.user.id, taken)
    counts[taken.kind]--
  }

  function end(taken: Taken): void {
    if (taken.isOver) return
    taken.isOver = true
    leave(taken)
    taken.line?.end()
  }

  async function check(taken: Taken, line: Line): Promise<void> {
    taken.stopChecking()
    const number = ++taken.checks
    try {
      if (!(await withDeadline(line.isAllowed(), checkWithinMs, 'The check of a session', clock))) end(taken)
    } catch (error) {
      log.warn({ err: error }, 'A session could not be checked; it is tried again')
    }
    if (!taken.isOver && taken.checks === number) checkLater(taken, line)
  }

  function checkNow(taken: Taken, line: Line): void {
    inBackground(log, 'the check of a session', check(taken, line))
  }

  function checkLater(taken: Taken, line: Line): void {
    if (bySession.get(taken.session.id)?.has(taken)) {
      taken.stopChecking = clock.after(checkEveryMs, () => checkNow(taken, line))
    }
  }

  return {
    take(kind, session) {
      const ofAccount = [...(byAccount.get(session.user.id) ?? [])].filter((one) => one.kind === kind)
      if (ofAccount.length >= lineLimits[kind].ofOneAccount) {
        throw refuseForNow(429, refusals[kind].ofOneAccount, retryAfterS)
      }
      if (counts[kind] >= lineLimits[kind].inAll) throw refuseForNow(503, refusals[kind].inAll, retryAfterS)
      const taken: Taken = { kind, session, line: null, isOver: false, checks: 0, stopChecking: () => {} }
      addTo(bySession, session.id, taken)
      addTo(byAccount, session.user.id, taken)
      counts[kind]++
      return {
        hold(line) {
          if (taken.isOver) return line.end()
          taken.line = line
          // The session may have ended between the request's own check and this place.
          checkNow(taken, line)
        },
        leave: () => leave(taken),
      }
    },
    endSession(sessionId) {
      for (const taken of [...(bySession.get(sessionId) ?? [])]) end(taken)
      tellEnd()
    },
    recheck(accountId) {
      for (const taken of [...(byAccount.get(accountId) ?? [])]) if (taken.line) checkNow(taken, taken.line)
    },
    endAccount(accountId) {
      for (const taken of [...(byAccount.get(accountId) ?? [])]) end(taken)
      tellEnd()
    },
    onEnd: (listener) => void listeners.push(listener),
    count: (kind) => counts[kind],
  }
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set)
  set.add(value)
}

/** Returns whether it was there. */
function removeFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): boolean {
  const set = sets.get(key)
  if (!set?.delete(value)) return false
  if (set.size === 0) sets.delete(key)
  return true
}
