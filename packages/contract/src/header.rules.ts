/** Headers of our own, and those that calls carry beside their bodies. Lower case, as HTTP/2 sends them. */
export const headers = {
  /** On answers behind a session: the answer includes at least every change up to this revision. */
  revision: 'slipway-revision',
  /** On calls of the console: the id of the user that the page shows. Another user's session refuses the call. */
  account: 'slipway-account',
  /** On calls that create something: a UUID. The same key again gets the same answer, and nothing is created twice. */
  idempotencyKey: 'idempotency-key',
} as const
