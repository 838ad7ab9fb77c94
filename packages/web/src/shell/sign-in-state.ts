/** Navigation state of `/signin`. */
export interface SignInState {
  /** The guarded page the visitor came for. */
  from?: string
  /** Prefills the form. */
  email?: string
  /** Why the visitor was sent here: a session that ended, or a page that needs one. */
  reason?: SignInReason
}

export const signInReasons = ['ended', 'required'] as const
export type SignInReason = (typeof signInReasons)[number]

/** The page of the server that leads to a shared port, when the visitor was sent from there to sign in. */
export function sharedPortAsked(search: string): string | null {
  const from = new URLSearchParams(search).get('from')
  return from?.startsWith('/share/open?') ? from : null
}

/** Reads the navigation state of a location. Anything that `/signin` does not know is ignored. */
export function readSignInState(state: unknown): SignInState {
  if (typeof state !== 'object' || state === null) return {}
  const { from, email, reason } = state as Record<string, unknown>
  return {
    // Only paths of the console: `//host` and `/\host` would leave it.
    ...(typeof from === 'string' && /^\/(?![/\\])/.test(from) ? { from } : {}),
    ...(typeof email === 'string' ? { email } : {}),
    ...(signInReasons.includes(reason as SignInReason) ? { reason: reason as SignInReason } : {}),
  }
}
