const shortestMs = 250
const longestMs = 5_000

/**
 * How long to wait before the next attempt, in milliseconds: a quarter of a second at first, doubling to five. A part
 * of it is chance, so that a server that comes back is not met by everybody at once.
 */
export function pauseMs(attempts: number): number {
  const whole = Math.min(longestMs, shortestMs * 2 ** attempts)
  return whole * (0.75 + Math.random() * 0.25)
}
