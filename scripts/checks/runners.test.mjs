import { describe, expect, it, vi } from 'vitest'
import { countPlaywright, countVitest } from './runners.mjs'
import { runSteps, told } from './step.mjs'

const quietly = async (steps, options) => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    return await runSteps(steps, options)
  } finally {
    log.mockRestore()
  }
}

const step = (outcome) => ({ name: 'a step', run: async () => outcome })
const all = { untilFailure: false }

describe('the closing line', () => {
  it('adds up what the runners report', async () => {
    const steps = [
      step({ ok: true, counts: { passed: 3, failed: 0, skipped: 1 } }),
      step({ ok: true, counts: { passed: 4, failed: 0, skipped: 0 } }),
    ]
    const { ok, counts } = await quietly(steps, all)
    expect(ok).toBe(true)
    expect(told(counts)).toBe('7 passed, 0 failed, 1 skipped')
  })

  it('leaves out what was not skipped', () => {
    expect(told({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed')
  })

  it('counts a runner that broke without a failed test as a failure', async () => {
    const steps = [step({ ok: false, counts: { passed: 5, failed: 0, skipped: 0 } }), step({ ok: false })]
    const { ok, counts } = await quietly(steps, all)
    expect(ok).toBe(false)
    expect(counts).toEqual({ passed: 5, failed: 2, skipped: 0, flaky: 0 })
  })

  it('is red when tests failed, whatever the exit code says', async () => {
    const { ok } = await quietly([step({ ok: true, counts: { passed: 1, failed: 1, skipped: 0 } })], all)
    expect(ok).toBe(false)
  })

  it('stops at the first failure where that is wanted', async () => {
    const later = vi.fn()
    await quietly([step({ ok: false }), { name: 'later', run: later }], { untilFailure: true })
    expect(later).not.toHaveBeenCalled()
  })

  it('counts a test file that could not be loaded', () => {
    const report = {
      numPassedTests: 2,
      numFailedTests: 1,
      numPendingTests: 1,
      numTodoTests: 1,
      testResults: [
        { status: 'failed', assertionResults: [] },
        { status: 'failed', assertionResults: [{}] },
        { status: 'passed', assertionResults: [{}] },
      ],
    }
    expect(countVitest(report)).toEqual({ passed: 2, failed: 2, skipped: 2 })
  })

  it('counts a browser test that passed only at the second try apart, and tells of it', async () => {
    const report = { stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 2 }, errors: [{}] }
    const counts = countPlaywright(report)
    expect(counts).toEqual({ passed: 4, failed: 2, skipped: 2, flaky: 1 })
    const { ok } = await quietly([step({ ok: true, counts: { ...counts, failed: 0 } })], all)
    expect(ok).toBe(true)
    expect(told(counts)).toBe('4 passed, 2 failed, 2 skipped, 1 FLAKY')
  })
})
