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

/** A random UUID; `crypto.randomUUID` is missing where a console is served over plain http. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, index) => {
    // Version 4, variant 1.
    const bits = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte
    return bits.toString(16).padStart(2, '0')
  }).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
