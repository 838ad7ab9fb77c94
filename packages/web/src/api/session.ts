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
/** How soon a server that could not say who is signed in is asked again; then it waits longer each time. */
const askAgainMs = { first: 2_000, last: 30_000 }

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

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

/** Asks who is signed in. Called once, before the first render, so that the response arrives while files load. */
export async function startSession(): Promise<void> {
  channel?.addEventListener('message', ({ data }: MessageEvent<Notice>) => {
    if ('in' in data && data.in !== session.user?.id) void recheckSession()
    if ('out' in data && data.out === session.user?.id) end()
  })
  const user = await askUser()
  // A user may have signed in meanwhile; then this older response does not count.
  if (session.state !== 'checking') return
  set(typeof user === 'string' ? { state: 'out', user: null, revision: null } : signedIn(user))
  if (user === 'unknown') await askUntilKnown(askAgainMs.first)
}

/** A page that was opened while the server could not say who is signed in shows nobody, until it can say. */
async function askUntilKnown(waitMs: number): Promise<void> {
  const before = session
  await pause(waitMs)
  // Who signed in by hand meanwhile may have signed out again, and stays so.
  if (session !== before) return
  const user = await askUser()
  if (session !== before) return
  if (user === 'unknown') return askUntilKnown(Math.min(2 * waitMs, askAgainMs.last))
  if (user !== 'nobody') set(signedIn(user))
}

const signedIn = (user: Me, answer: unknown = user): Session => ({
  state: 'in',
  user,
  revision: revisionTextOf(answer),
})

/**
 * Asks the server who is signed in: after a 401 once more, before it is `nobody` (catalogue G-027). `unknown` without
 * a response, and for one that says neither.
 */
export async function askUser(mayRetry = true): Promise<Me | 'nobody' | 'unknown'> {
  try {
    const user = await call('account.me')
    return user?.id ? user : 'unknown'
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) return 'unknown'
    if (!mayRetry) return 'nobody'
    await pause(recheckDelayMs)
    return askUser(false)
  }
}

/**
 * Checks whether the page still belongs to the signed-in user: in another tab, this user may have signed out or
 * another one in. For another user the page is reloaded, so that nothing of the previous one is left in it.
 */
export async function recheckSession(): Promise<void> {
  const before = session
  const user = await askUser()
  if (session !== before || user === 'unknown') return
  if (user === 'nobody') return end()
  if (session.state === 'in' && session.user.id !== user.id) return turn()
  if (session.state !== 'in') set(signedIn(user))
}

/** A call was refused without a session. The session has ended, unless another user signed in. */
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

/** Takes over what the user changed of their own account. */
export function changeUser(user: Me): void {
  if (session.state === 'in' && session.user.id === user.id) set({ ...session, user })
}

/** Reads the user anew, after a change that was made without their session. */
export async function refreshUser(): Promise<void> {
  const user = await askUser()
  if (typeof user !== 'string') changeUser(user)
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
