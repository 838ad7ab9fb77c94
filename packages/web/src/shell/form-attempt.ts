/** One attempt to create something. However often it is sent, the server creates one object. */
export interface Attempt {
  key: string
  /** The input, to compare with the next one. */
  of: string
}

/**
 * The attempt for this input. The same input again continues the previous attempt, because its answer may have been
 * lost on the way; other input starts a new one. After a success there is no previous attempt (null).
 */
export function attemptFor(before: Attempt | null, input: unknown, newKey: () => string): Attempt {
  // A form that asks for nothing has no input.
  const of = JSON.stringify(input ?? null)
  return before?.of === of ? before : { key: newKey(), of }
}
