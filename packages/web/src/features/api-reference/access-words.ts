import type { Access } from './calls.ts'

/** With what a call can be made, in a word beside it. */
export const accessWords: Record<Access, string> = {
  read: 'Token: read',
  write: 'Token: write',
  session: 'Session only',
  public: 'Public',
  operator: 'Operator',
}

export const accessSentences: Record<Access, string> = {
  read: 'Takes an API token that can read, or a session.',
  write: 'Takes an API token that can read and write, or a session.',
  session: 'Takes a session of the console. API tokens cannot be used.',
  public: 'Takes requests from anyone.',
  operator: 'Takes the token of the operator, SLIPWAY_METRICS_TOKEN.',
}
