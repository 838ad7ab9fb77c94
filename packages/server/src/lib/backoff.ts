/**
 * Wait before the next try, in milliseconds: doubles from half a second to one minute, with up to 20 % jitter so
 * that what failed together does not come back together.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const base = Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1))
  return Math.round(base * (1 + 0.2 * random()))
}
