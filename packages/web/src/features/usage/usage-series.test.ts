import type { Usage, UsageSample } from '@slipway/contract'
import { expect, test } from 'vitest'
import {
  evenValues,
  isEarly,
  isKnown,
  rateText,
  summaryOf,
  ticksOf,
  timelineOf,
  valuesOf,
} from './usage-series.ts'

const startMs = new Date(2026, 10, 21, 14, 0).getTime()
const atMs = (seconds: number) => startMs + seconds * 1000

const sample = (seconds: number, more: Partial<UsageSample> = {}): UsageSample => ({
  at: new Date(atMs(seconds)).toISOString(),
  running: 1,
  cpu: 10,
  memory_mb: 512,
  disk_read: 0,
  disk_write: 0,
  net_in: null,
  net_out: null,
  ...more,
})
const usage = (...samples: UsageSample[]): Usage => ({ every_s: 10, cpu: 1, memory_mb: 1024, samples })
const drawn = (of: Usage, untilS: number) => {
  const timeline = timelineOf(of, atMs(untilS))
  return timeline.times.map((time, i) => [time - startMs / 1000, valuesOf(timeline, 'cpu')[i]])
}

test('samples that follow one another are one line, also when one comes late', () => {
  expect(drawn(usage(sample(0), sample(10), sample(22)), 40)).toEqual([
    [0, 10],
    [10, 10],
    [22, 10],
  ])
})

test('where samples are missing the line breaks, on both sides of a long gap', () => {
  expect(drawn(usage(sample(0), sample(20), sample(120)), 120)).toEqual([
    [0, 10],
    [5, null],
    [20, 10],
    [25, null],
    [115, null],
    [120, 10],
  ])
})

test('a single moment has a time before it, so that there is a line of time', () => {
  expect(drawn(usage(sample(30)), 35)).toEqual([
    [20, null],
    [30, 10],
  ])
})

test('within the first minute a guest may not have been asked for everything', () => {
  const many = (n: number) => timelineOf(usage(...Array.from({ length: n }, (_, i) => sample(i * 10))), 0)
  expect([isEarly(many(1)), isEarly(many(6)), isEarly(many(7))]).toEqual([true, true, false])
})

test('what does not run any more ends before now', () => {
  expect(drawn(usage(sample(0)), 600)).toEqual([
    [0, 10],
    [5, null],
    [600, null],
  ])
  expect(drawn(usage(), 600)).toEqual([])
})

test.each([
  [0, '0 B/s'],
  [512.4, '512 B/s'],
  [999.6, '1.0 kB/s'],
  [1000, '1 kB/s'],
  [4_234_000, '4.2 MB/s'],
  [9_960_000, '10 MB/s'],
  [71_300_000, '71 MB/s'],
  [2_500_000_000_000, '2500 GB/s'],
])('%d bytes in a second are written %s', (bytes, text) => {
  expect(rateText(bytes)).toBe(text)
})

test('a drawing is told in a sentence: what is now, and the highest with its time', () => {
  const of = usage(sample(0, { cpu: 12.4 }), sample(180, { cpu: 80 }), sample(190, { cpu: 11.6 }))
  expect(summaryOf(timelineOf(of, atMs(190)), 'cpu')).toBe('CPU now 12%, highest 80% at 14:03.')
  expect(summaryOf(timelineOf(of, atMs(900)), 'memory')).toBe(
    'Memory not measured now, highest 512 MB at 14:00.',
  )
})

test('of two lines each is told, and what nobody knows is said to be unknown', () => {
  const of = usage(sample(0, { disk_read: 4_200_000 }), sample(10, { disk_write: 500, net_in: 7 }))
  const timeline = timelineOf(of, atMs(10))
  expect(summaryOf(timeline, 'disk')).toBe(
    'Disk read now 0 B/s, highest 4.2 MB/s at 14:00; write now 500 B/s, highest 500 B/s at 14:00.',
  )
  expect(summaryOf(timeline, 'network')).toBe('Network in now 7 B/s, highest 7 B/s at 14:00; out unknown.')
})

test('a measure is known when one sample has it', () => {
  const timeline = timelineOf(usage(sample(0), sample(10, { net_out: 0 })), atMs(10))
  expect([isKnown(timeline, 'network'), isKnown(timelineOf(usage(sample(0)), 0), 'network')]).toEqual([
    true,
    false,
  ])
})

test('scales begin at 0 and have room for the highest value, and memory for what was given', () => {
  const of = usage(sample(0, { disk_read: 1_500_000, memory_mb: 300 }))
  const timeline = timelineOf(of, atMs(0))
  expect(ticksOf(timeline, 'cpu', 1024)).toEqual([0, 50, 100])
  expect(ticksOf(timeline, 'memory', 1024)).toEqual([0, 512, 1024])
  expect(ticksOf(timeline, 'memory', 0)).toEqual([0, 100, 200, 300])
  expect(ticksOf(timeline, 'disk', 0)).toEqual([0, 500_000, 1_000_000, 1_500_000])
  expect(ticksOf(timeline, 'network', 0)).toEqual([0, 5000, 10_000])
})

test('the values of an hour stand at equal steps, empty where nothing was measured', () => {
  const of = {
    ...usage(sample(0, { cpu: 1 }), sample(600, { cpu: 2 }), sample(1799, { cpu: 3 })),
    every_s: 600,
  }
  expect(evenValues(of, 'cpu', 0)).toEqual([null, null, 1, 2, null, 3])
  expect(evenValues(of, 'cpu', atMs(3000))).toEqual([1, 2, null, 3, null, null])
  expect(evenValues({ ...of, samples: [] }, 'cpu', 0)).toEqual(Array.from({ length: 6 }).fill(null))
})
