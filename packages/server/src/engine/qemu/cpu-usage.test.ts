import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ticksIn } from './cpu-usage.ts'

const rest = '4 5 6 7 8 9 10 11 12 13 140 15 16 17 18 19 20'

test('CPU time is the sum of time in programs and time in the kernel', () => {
  expect(ticksIn(`731 (CPU 0/TCG) S ${rest}\n`)).toBe(140 + 15)
})

test.each(['', ' ', ')', ') S 1 2 3', '((a) R 1', 'a\nb (c)'])(
  'a thread may be called %j without being misread',
  (name) => {
    expect(ticksIn(`731 (${name}) S ${rest}\n`)).toBe(140 + 15)
  },
)

test.each(['', '731', '731 (CPU 0/TCG)', '731 (CPU 0/TCG) S 4 5 6', `731 (a) S ${rest.replace('140', 'x')}`])(
  'a line that tells no CPU time, %j, is not taken for one',
  (line) => {
    expect(ticksIn(line)).toBe(null)
  },
)

test('the kernel writes its lines in the way they are read', async () => {
  const ticks = async () => ticksIn(await readFile('/proc/self/stat', 'utf8')) ?? Number.NaN
  const before = await ticks()
  const { user, system } = process.cpuUsage()
  // A line misread holds another number by far.
  for (let began = process.cpuUsage(); process.cpuUsage(began).user < 200_000; );
  const used = process.cpuUsage({ user, system })
  const microsecondsPerTick = (used.user + used.system) / ((await ticks()) - before)
  expect(microsecondsPerTick).toBeGreaterThan(10_000 / 2)
  expect(microsecondsPerTick).toBeLessThan(10_000 * 2)
})
