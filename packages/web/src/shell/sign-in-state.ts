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

/** The navigation state of a location as what `/signin` understands; anything else counts as nothing. */
export function readSignInState(state: unknown): SignInState {
  if (typeof state !== 'object' || state === null) return {}
  const { from, email, reason } = state as Record<string, unknown>
  return {
    // Only a path of our own: `//host` and `/\host` would leave the console.
    ...(typeof from === 'string' && /^\/(?![/\\])/.test(from) ? { from } : {}),
    ...(typeof email === 'string' ? { email } : {}),
    ...(signInReasons.includes(reason as SignInReason) ? { reason: reason as SignInReason } : {}),
  }
}
