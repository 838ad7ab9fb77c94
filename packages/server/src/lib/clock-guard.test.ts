import { expect, test } from 'vitest'
import { makeClockGuard, type SeenTime, watchMs } from './clock-guard.ts'
import { type HandClock, makeHandClock } from './hand-clock.ts'

const hour = 60 * 60_000

/** A guard over a store that outlives it, as over a restart of the server. */
async function guardAt(clock: HandClock, kept: { seen: SeenTime | null } = { seen: null }) {
  const guard = makeClockGuard({
    clock,
    load: async () => kept.seen,
    async store(seen) {
      kept.seen = seen
    },
    log: { warn() {}, info() {}, error() {} },
  })
  await guard.start()
  return guard
}

/** A guard that starts with its clock. */
async function watched() {
  const clock = makeHandClock()
  return { clock, guard: await guardAt(clock) }
}

const jump = (clock: HandClock, ms: number) => clock.set(clock.now() + ms)

test('a clock that runs evenly is believed, for weeks', async () => {
  const { clock, guard } = await watched()
  for (let day = 0; day < 40; day++) {
    await clock.advance(24 * hour)
    expect(guard.isTrusted()).toBe(true)
  }
  expect(guard.problem()).toBeNull()
})

test('a clock that jumps forward is not believed at once, and is after it ran evenly for a day', async () => {
  const { clock, guard } = await watched()
  jump(clock, 400 * 24 * hour)
  expect(guard.isTrusted()).toBe(false)
  expect(guard.problem()).toMatch(/jumped forward by about 9600 h.*until .*Check the date/)
  await clock.advance(watchMs - hour)
  expect(guard.isTrusted()).toBe(false)
  await clock.advance(2 * hour)
  expect(guard.isTrusted()).toBe(true)
})

test('a clock that is put right again is believed at once', async () => {
  const { clock, guard } = await watched()
  jump(clock, 400 * 24 * hour)
  await clock.advance(3 * hour)
  jump(clock, -400 * 24 * hour)
  expect(guard.isTrusted()).toBe(true)
})

test('a second jump begins the day anew', async () => {
  const { clock, guard } = await watched()
  jump(clock, 48 * hour)
  expect(guard.isTrusted()).toBe(false)
  await clock.advance(watchMs - hour)
  jump(clock, 48 * hour)
  await clock.advance(2 * hour)
  expect(guard.isTrusted()).toBe(false)
})

test('small steps of a time server, and a clock that goes back, hold nothing up', async () => {
  const { clock, guard } = await watched()
  for (let i = 0; i < 50; i++) {
    jump(clock, 5_000)
    await clock.advance(hour)
    expect(guard.isTrusted()).toBe(true)
  }
  jump(clock, -400 * 24 * hour)
  expect(guard.isTrusted()).toBe(true)
})

test('the time goes on as if nobody had set the clock when it goes back, and is that of the clock after a day', async () => {
  const clock = makeHandClock()
  const kept = { seen: null }
  const guard = await guardAt(clock, kept)
  const right = clock.now()
  jump(clock, -400 * 24 * hour)
  expect(guard.now()).toBe(right)
  expect(guard.isTrusted()).toBe(true)
  expect(guard.problem()).toMatch(/went back by about 9600 h.*goes on here until .*Check the date/)
  await clock.advance(3 * hour)
  expect(guard.now()).toBe(right + 3 * hour)
  guard.close()

  // Another process has another monotonic clock.
  const later = makeHandClock(clock.now() + 60_000)
  const next = await guardAt(later, kept)
  expect(next.now()).toBeGreaterThanOrEqual(right + 2 * hour)
  expect(next.now()).toBeLessThanOrEqual(right + 3 * hour)
  await later.advance(watchMs - 4 * hour)
  expect(next.now()).toBeGreaterThan(later.now())
  await later.advance(2 * hour)
  expect(next.now()).toBe(later.now())
  expect(next.problem()).toBeNull()
})

test('the time is that of the clock when it jumps forward, goes back a little, or is put right', async () => {
  const { clock, guard } = await watched()
  for (const ms of [-30 * 60_000, 400 * 24 * hour, -400 * 24 * hour, 20 * 60_000]) {
    jump(clock, ms)
    expect(guard.now()).toBe(clock.now())
    await clock.advance(60_000)
  }
})

test('a jump while the server was off counts, a night off does not', async () => {
  const kept = { seen: null }
  const clock = makeHandClock()
  const first = await guardAt(clock, kept)
  await clock.advance(hour)
  first.close()

  const morning = makeHandClock(clock.now() + 14 * hour)
  const second = await guardAt(morning, kept)
  expect(second.isTrusted()).toBe(true)
  second.close()

  const far = makeHandClock(morning.now() + 300 * 24 * hour)
  const third = await guardAt(far, kept)
  expect(third.isTrusted()).toBe(false)
  await far.advance(20 * hour)
  third.close()

  // What has been watched counts over the next restart, and so does the jump.
  const next = makeHandClock(far.now() + 60_000)
  const fourth = await guardAt(next, kept)
  expect(fourth.isTrusted()).toBe(false)
  await next.advance(5 * hour)
  expect(fourth.isTrusted()).toBe(true)
})

test('before it was started nothing is believed', () => {
  const clock = makeHandClock()
  const options = { clock, load: async () => null, store: async () => {} }
  const guard = makeClockGuard({ ...options, log: { warn() {}, info() {}, error() {} } })
  expect(guard.isTrusted()).toBe(false)
})
