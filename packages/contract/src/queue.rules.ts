/**
 * What an account is told that has too much of something under way, or for which others leave no place. Each ends by itself:
 * answers carry `Retry-After`.
 */
export const queueTexts = {
  calls: 'Too many requests of this account are under way. Try again in a moment.',
  exports: 'An export of this account is under way. Wait for it to finish.',
  imageChecks: 'You are checking too many images at the moment. Wait for one of them to finish.',
  others: 'The server is busy with requests of others at the moment. Try again in a moment.',
} as const
