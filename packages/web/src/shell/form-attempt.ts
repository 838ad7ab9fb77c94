/** One wish to create something, however often it is sent: the server makes one object of it. */
export interface Attempt {
  key: string
  /** What was sent with it. */
  of: string
}

/**
 * The attempt that a form makes now: the one before when the same is sent again, since its answer may have been lost
 * on the way; another one when something else is sent. After a success there is no attempt before (null).
 */
export function attemptFor(before: Attempt | null, input: unknown, newKey: () => string): Attempt {
  const of = JSON.stringify(input)
  return before?.of === of ? before : { key: newKey(), of }
}
