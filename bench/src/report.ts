import { loadavg } from 'node:os'

/** One measured figure, its goal and whether it was met. */
export interface Figure {
  what: string
  value: number
  unit: string
  /** The most it may be; null for a figure that is only shown. */
  goal: number | null
}

/** Prints the figures of one part as an aligned table; true when every goal was met. */
export function report(part: string, figures: Figure[]): boolean {
  console.log(`\n${part}  (load ${loadavg()[0]?.toFixed(1)})`)
  const wide = Math.max(...figures.map((figure) => figure.what.length))
  for (const { what, value, unit, goal } of figures) {
    const shown = `${value >= 100 ? Math.round(value) : value.toFixed(2)} ${unit}`
    const verdict = goal === null ? '' : `goal ${goal} ${unit}  ${value <= goal ? 'met' : 'MISSED'}`
    console.log(`  ${what.padEnd(wide)}  ${shown.padStart(12)}  ${verdict}`)
  }
  return figures.every(({ value, goal }) => goal === null || value <= goal)
}

/** The value at a share of the sorted list, 0.5 for the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Runs `work` so many times, one after the other; milliseconds of each. */
export async function timed(times: number, work: (i: number) => Promise<unknown>): Promise<number[]> {
  const spans: number[] = []
  for (let i = 0; i < times; i++) {
    const start = performance.now()
    await work(i)
    spans.push(performance.now() - start)
  }
  return spans
}
