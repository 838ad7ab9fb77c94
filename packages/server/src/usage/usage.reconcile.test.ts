import { describe, expect, it } from 'vitest'
import { makeHandClock } from '../lib/hand-clock.ts'
import { silentLog } from '../lib/log.ts'
import { keptMs, makeUsageBook, spanMs } from './usage.book.ts'
import { makeUsageSampler } from './usage.reconcile.ts'

const dayMs = 24 * 60 * 60_000
const owner = { vmId: 'a', projectId: 'p', groupId: null, processors: 1, memoryMb: 256 }

/** A sampler of one VM that runs all the time. */
function openSampler() {
  const clock = makeHandClock()
  const stored: number[] = []
  const forgotten: number[] = []
  let isTrusted = true
  const drives = true
  const sampler = makeUsageSampler({
    repo: {
      living: async () => [owner],
      insert: async (at) => void stored.push(at),
      forgetBefore: async (at) => void forgotten.push(at),
    },
    book: makeUsageBook(),
    engine: {
      usage: async () =>
        new Map([
          ['a', { run: 'one', cpuMs: clock.monotonic() / 2, memoryMb: 100, disk: null, network: null }],
        ]),
    },
    clock,
    clockGuard: { isTrusted: () => isTrusted },
    drives: () => drives,
    underLease: (act) => act(),
    log: silentLog,
  })
  sampler.start()
  return {
    clock,
    stored,
    forgotten,
    trust(on: boolean) {
      isTrusted = on
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 10_000) {
        await clock.advance(10_000)
        await sampler.idle()
      }
    },
  }
}

describe('what is kept of usage', () => {
  it('goes on every five minutes although the clock of the host is set back', async () => {
    const { clock, stored, pass } = openSampler()
    await pass(2 * spanMs + 60_000)
    expect(stored).toHaveLength(2)
    clock.set(clock.now() - 400 * dayMs)
    await pass(2 * spanMs + 60_000)
    expect(stored.length).toBeGreaterThan(3)
  })

  it('is not forgotten by its age while the clock is not believed', async () => {
    const { clock, forgotten, trust, pass } = openSampler()
    await pass(spanMs + 60_000)
    expect(forgotten).toEqual([expect.any(Number)])
    trust(false)
    clock.set(clock.now() + 400 * dayMs)
    await pass(spanMs + 60_000)
    expect(forgotten).toHaveLength(1)
    trust(true)
    await pass(spanMs + 60_000)
    expect(forgotten.at(-1)).toBeGreaterThan(clock.now() - keptMs - spanMs)
  })
})
