/** The grid lines of a chart: from 0, at most five, the last at or above `highest`. */
export function chartTicks(highest: number): number[] {
  const step = stepFor(Math.max(1, highest) / 4)
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, i) => i * step)
}

/** Rounds up to 1, 2, 5, 10, 20, 50 and so on. */
function stepFor(least: number): number {
  for (let decade = 1; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (factor * decade >= least) return factor * decade
  }
}
