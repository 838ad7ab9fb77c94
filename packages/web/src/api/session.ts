import type { Me } from '@slipway/contract'
import { useSyncExternalStore } from 'react'
import { ApiError, call, revisionTextOf, setAccount, setSessionLostHandler } from './client.ts'
import { order, queryClient } from './query.ts'

/** `revision`: from where on the page has to hear of changes, as it asked for nothing before. */
export type Session =
  | { state: 'checking'; user: null; revision: null }
  | { state: 'out'; user: null; revision: null }
  | { state: 'in'; user: Me; revision: string | null }

const recheckDelayMs = 100

let session: Session = { state: 'checking', user: null, revision: null }
const listeners = new Set<() => void>()

function set(next: Session): void {
  session = next
  setAccount(next.user?.id ?? null)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Messages between the tabs of a browser: who signed in, or who signed out. */
type Notice = { in: string } | { out: string }

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('slipway-account')

/** Asks who is signed in. Called once, before anything is drawn: the answer comes while the page's files do. */
export async function startSession(): Promise<void> {
  channel?.addEventListener('message', ({ data }: MessageEvent<Notice>) => {
    if ('in' in data && data.in !== session.user?.id) void recheckSession()
    if ('out' in data && data.out === session.user?.id) end()
  })
  const user = await fetchUser()
  // Somebody may have signed in meanwhile; the older answer does not count then.
  if (session.state === 'checking') set(user ? signedIn(user) : { state: 'out', user: null, revision: null })
}

const signedIn = (user: Me, answer: unknown = user): Session => ({
  state: 'in',
  user,
  revision: revisionTextOf(answer),
})

/** Asks the server who is signed in; `unknown` without a usable response. */
async function askUser(mayRetry = true): Promise<Me | 'nobody' | 'unknown'> {
  try {
    const user = await call('account.me')
    return user?.id ? user : 'unknown'
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) return 'unknown'
    if (!mayRetry) return 'nobody'
    await new Promise((resolve) => setTimeout(resolve, recheckDelayMs))
    return askUser(false)
  }
}

/**
 * Asks the server who is signed in. Null for nobody, for an answer without id and for no answer at all; a 401 is
 * asked about once more (catalogue G-027).
 */
export async function fetchUser(): Promise<Me | null> {
  const user = await askUser()
  return typeof user === 'string' ? null : user
}

/**
 * Finds out whether the page still shows who is signed in: in another tab somebody else may have signed in, or this
 * user out. Another user gets a page that was loaded anew, so that nothing of the former one is left in it.
 */
export async function recheckSession(): Promise<void> {
  const before = session
  const user = await askUser()
  if (session !== before || user === 'unknown') return
  if (user === 'nobody') return end()
  if (session.state === 'in' && session.user.id !== user.id) return turn()
  if (session.state !== 'in') set(signedIn(user))
}

/** A call was refused for want of a session. It has ended, unless somebody else signed in. */
async function endOrTurn(): Promise<void> {
  const before = session
  const user = await askUser(false)
  if (session !== before) return
  if (typeof user !== 'string' && session.user && user.id !== session.user.id) turn()
  else end()
}

let isTurning = false

function turn(): void {
  if (isTurning) return
  isTurning = true
  forget({ state: 'checking', user: null, revision: null })
  window.location.replace('/')
}

function forget(next: Session): void {
  set(next)
  queryClient.clear()
  order.clear()
}

function end(): void {
  if (session.state !== 'out') forget({ state: 'out', user: null, revision: null })
}

/** Many calls may be refused at once; checking the session once is enough. */
let isEnding = false
setSessionLostHandler(() => {
  if (isEnding) return
  isEnding = true
  void endOrTurn().finally(() => {
    isEnding = false
  })
})

/** Who is signed in. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session)
}

const tellTabs = (notice: Notice): void => channel?.postMessage(notice)

/** Takes over the user a successful sign-in answered with. */
export function signIn(user: Me, answer: unknown): void {
  forget(signedIn(user, answer))
  tellTabs({ in: user.id })
}

/** Ends the session, on this page even when the call fails. No data of the user stays in memory. */
export async function signOut(): Promise<void> {
  const out = session.user?.id
  try {
    await call('account.signOut')
    if (out !== undefined) tellTabs({ out })
  } catch {
    // Only a lost network can bring us here; the user is signed out of this page all the same.
  } finally {
    end()
  }
}
