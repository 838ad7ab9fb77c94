import { formatMemory, type Usage, type UsageSample } from '@slipway/contract'
import { formatMinute } from '../../time.ts'
import { chartTicks } from '../../ui/chart-ticks.ts'

/** What is measured of a VM. */
type Measured = Exclude<keyof UsageSample, 'at' | 'running'>

export type Measure = 'cpu' | 'memory' | 'disk' | 'network'

interface MeasureLine {
  key: Measured
  /** Within the chart; the only line of one needs none. */
  label: string
}

interface MeasureKind {
  title: string
  lines: readonly MeasureLine[]
  format: (value: number) => string
}

export const percentText = (value: number) => `${Math.round(value)}%`
export const memoryText = (megabytes: number) => formatMemory(Math.round(megabytes))

/** Bytes in a second: `512 B/s`, `4.2 MB/s`, `71 MB/s`. */
export function rateText(bytes: number): string {
  const units = ['B/s', 'kB/s', 'MB/s', 'GB/s']
  let value = bytes
  let unit = 0
  // What would be rounded up to a thousand of a unit is one of the next.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit > 0 && value < 9.95 && !Number.isInteger(value) ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit]}`
}

export const measureKinds: Record<Measure, MeasureKind> = {
  cpu: { title: 'CPU', lines: [{ key: 'cpu', label: 'CPU' }], format: percentText },
  memory: { title: 'Memory', lines: [{ key: 'memory_mb', label: 'Memory' }], format: memoryText },
  disk: {
    title: 'Disk',
    lines: [
      { key: 'disk_write', label: 'Write' },
      { key: 'disk_read', label: 'Read' },
    ],
    format: rateText,
  },
  network: {
    title: 'Network',
    lines: [
      { key: 'net_out', label: 'Out' },
      { key: 'net_in', label: 'In' },
    ],
    format: rateText,
  },
}

/** Samples on a line of time: null where one is missing, and at `untilMs` when nothing has run for a while. */
export interface Timeline {
  /** Seconds since 1970. */
  times: number[]
  samples: (UsageSample | null)[]
}

/** Puts samples on a line of time, so that spans in which nothing ran stay empty. */
export function timelineOf({ samples, every_s }: Usage, untilMs: number): Timeline {
  const timeline: Timeline = { times: [], samples: [] }
  const add = (time: number, sample: UsageSample | null) => {
    timeline.times.push(time)
    timeline.samples.push(sample)
  }
  let last: number | undefined
  for (const sample of samples) {
    const time = Date.parse(sample.at) / 1000
    if (last !== undefined && time - last > every_s * 1.5) {
      add(last + every_s / 2, null)
      // Where it goes on, what is pointed at before belongs to the gap.
      if (time - last > every_s * 3) add(time - every_s / 2, null)
    }
    add(time, sample)
    last = time
  }
  if (last !== undefined && untilMs / 1000 - last > every_s * 2.5) {
    add(last + every_s / 2, null)
    add(untilMs / 1000, null)
  }
  // A single moment has no scale to stand on.
  const [only] = timeline.times
  if (only !== undefined && timeline.times.length === 1) {
    timeline.times.unshift(only - every_s)
    timeline.samples.unshift(null)
  }
  return timeline
}

export const valuesOf = ({ samples }: Timeline, key: Measured): (number | null)[] =>
  samples.map((sample) => sample?.[key] ?? null)

/** Values of the last hour at equal steps, oldest first, null where there is none; it ends at `untilMs` or later. */
export function evenValues({ samples, every_s }: Usage, key: Measured, untilMs: number): (number | null)[] {
  const end = Math.max(untilMs, Date.parse(samples.at(-1)?.at ?? '') || 0)
  const values = Array.from<number | null>({ length: Math.round(3600 / every_s) }).fill(null)
  for (const sample of samples) {
    const fromEnd = Math.round((end - Date.parse(sample.at)) / 1000 / every_s)
    if (fromEnd < values.length) values[values.length - 1 - fromEnd] = sample[key]
  }
  return values
}

/** Whether it has been looked at for so short that a guest, which is asked more rarely, may not have been yet. */
export const isEarly = ({ times }: Timeline): boolean => (times.at(-1) ?? 0) - (times[0] ?? 0) < 60

/** Whether anybody could ever tell. */
export const isKnown = (timeline: Timeline, measure: Measure): boolean =>
  measureKinds[measure].lines.some(({ key }) =>
    timeline.samples.some((sample) => sample && sample[key] !== null),
  )

/** The least that a scale of bytes in a second goes up to: a few stray bytes are not a mountain. */
const leastRate = 10_000

/** Where the scale of a measure has its lines; `givenMb` is the memory that there is. */
export function ticksOf(timeline: Timeline, measure: Measure, givenMb: number): number[] {
  if (measure === 'cpu') return [0, 50, 100]
  const values = measureKinds[measure].lines.flatMap(({ key }) => valuesOf(timeline, key))
  const highest = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0)
  if (measure !== 'memory') return chartTicks(Math.max(leastRate, highest))
  return highest <= givenMb && givenMb > 0 ? [0, givenMb / 2, givenMb] : chartTicks(highest)
}

/** What the drawing of a measure shows: `CPU now 12%, highest 80% at 14:03.` */
export function summaryOf(timeline: Timeline, measure: Measure): string {
  const { title, lines, format } = measureKinds[measure]
  const parts = lines.toReversed().map(({ key, label }) => {
    const values = valuesOf(timeline, key)
    const now = values.at(-1) ?? null
    const highest = values.reduce<number | null>(
      (most, value) => (value !== null && (most === null || value > most) ? value : most),
      null,
    )
    if (highest === null) return `${lines.length > 1 ? label.toLowerCase() : ''} unknown`.trim()
    const at = formatMinute((timeline.times[values.indexOf(highest)] ?? 0) * 1000)
    const present =
      now !== null ? `now ${format(now)}` : timeline.samples.at(-1) ? 'now unknown' : 'not measured now'
    const subject = lines.length > 1 ? `${label.toLowerCase()} ` : ''
    return `${subject}${present}, highest ${format(highest)} at ${at}`
  })
  return `${title} ${parts.join('; ')}.`
}
