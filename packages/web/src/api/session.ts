import type { User } from '@slipway/contract'
import { useSyncExternalStore } from 'react'
import { ApiError, call, setSessionLostHandler } from './client.ts'
import { queryClient } from './query.ts'

export type Session =
  | { state: 'checking'; user: null }
  | { state: 'out'; user: null }
  | { state: 'in'; user: User }

const recheckDelayMs = 100

let session: Session = { state: 'checking', user: null }
const listeners = new Set<() => void>()

function set(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks who is signed in. Called once, before anything is drawn: the answer comes while the page's files do. */
export async function startSession(): Promise<void> {
  const user = await fetchUser()
  // Somebody may have signed in meanwhile; the older answer does not count then.
  if (session.state === 'checking') set(user ? { state: 'in', user } : { state: 'out', user: null })
}

/**
 * Asks the server who is signed in. Null for nobody, for an answer without id and for no answer at all; a 401 is
 * asked about once more (catalogue G-027).
 */
export async function fetchUser(mayRetry = true): Promise<User | null> {
  try {
    const user = await call('account.me')
    return user?.id ? user : null
  } catch (error) {
    if (!mayRetry || !(error instanceof ApiError) || error.status !== 401) return null
    await new Promise((resolve) => setTimeout(resolve, recheckDelayMs))
    return fetchUser(false)
  }
}

function end(): void {
  if (session.state === 'out') return
  set({ state: 'out', user: null })
  queryClient.clear()
}
setSessionLostHandler(end)

/** Who is signed in. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session)
}

/** Takes over the user a successful sign-in answered with. */
export function signIn(user: User): void {
  queryClient.clear()
  set({ state: 'in', user })
}

/** Ends the session, here also when the call fails. Nothing of the user stays in memory. */
export async function signOut(): Promise<void> {
  try {
    await call('account.signOut')
  } catch {
    // Only a lost network can bring us here; the user is signed out of this page all the same.
  } finally {
    end()
  }
}
