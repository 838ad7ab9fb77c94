import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  costsOfPlaywright,
  costsOfVitest,
  countPlaywright,
  countVitest,
  filesWithout,
  troublesOfPlaywright,
  troublesOfVitest,
} from './runners.mjs'
import { dearestOf, runSteps, sideBySide, tableOf, told, troublesOf } from './step.mjs'

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

describe('a share of the tests', () => {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-shares-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  // In two parts, or this file had the tag.
  const tagged = `// @module-${'tag'} full\n`
  const files = Object.entries({
    'all.test.ts': `${tagged}test('a', () => {})`,
    'some.test.ts': "test('a', {\n  tags: ['full'],\n}, () => {})\ntest('b', () => {})",
    'none.test.ts': "// Not full.\nconst one = { type: 'full' }\ntest('a', () => {})",
  }).map(([name, text]) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  })
  const namesWithout = (filter) => filesWithout(filter, files).map((file) => basename(file))

  it('does not load files of which it has no test', () => {
    expect(namesWithout('!full')).toEqual(['all.test.ts'])
    expect(namesWithout('full')).toEqual(['none.test.ts'])
    expect(namesWithout(null)).toEqual([])
  })

  it('is looked for in all packages', () => {
    expect(filesWithout('!full').length).toBeGreaterThan(20)
    expect(filesWithout('full').length).toBeGreaterThan(400)
  })
})

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

  it('runs lanes side by side, and the steps of a lane one after the other', async () => {
    const order = []
    const gate = Promise.withResolvers()
    const named = (name, wait) => ({
      name,
      run: async () => {
        order.push(`${name} begins`)
        await wait
        order.push(`${name} ends`)
        return { ok: true, counts: { passed: 1, failed: 0, skipped: 0 } }
      },
    })
    const last = {
      name: 'last',
      run: async () => {
        gate.resolve()
        return { ok: true }
      },
    }
    const { ok, counts, parts } = await quietly(
      [named('first'), sideBySide([named('slow', gate.promise)], [named('quick'), last]), named('after')],
      all,
    )
    expect(ok).toBe(true)
    expect(counts.passed).toBe(4)
    expect(order).toEqual([
      ...['first begins', 'first ends', 'slow begins', 'quick begins', 'quick ends', 'slow ends'],
      ...['after begins', 'after ends'],
    ])
    expect(parts.map(({ name }) => name).sort()).toEqual(['after', 'first', 'last', 'quick', 'slow'])
  })

  it('lets the other lanes go on when one fails, and is red', async () => {
    const other = vi.fn(async () => ({ ok: true }))
    const { ok, counts } = await quietly(
      [sideBySide([step({ ok: false })], [step({ ok: true }), { name: 'other', run: other }])],
      all,
    )
    expect(ok).toBe(false)
    expect(counts.failed).toBe(1)
    expect(other).toHaveBeenCalled()
  })

  it('is preceded by a table that says when each part began, how long it took, and what of a processor', () => {
    const counts = { passed: 2, failed: 0, skipped: 0 }
    const parts = [
      { name: 'browser', verdict: 'FAILED', startedAt: 65.2, seconds: 600 },
      { name: 'guests', verdict: 'ok', startedAt: 5.4, seconds: 59.6, processor: 12.3, counts },
    ]
    expect(
      tableOf(parts)
        .split('\n')
        .map((line) => line.trim().replaceAll(/ +/g, ' ')),
    ).toEqual([
      'begin result part time processor',
      '0:05 ok guests 59.6 s 12 s 2 passed, 0 failed',
      '1:05 FAILED browser 600.0 s 0 s',
      '11:05 end',
    ])
  })

  it('is preceded by the tests that took most of a processor, of all parts together', () => {
    const vitest = costsOfVitest({
      testResults: [
        {
          assertionResults: [
            { fullName: 'a plan', meta: { processor: 0.2 } },
            { fullName: 'a walk', meta: { processor: 40 } },
            { fullName: 'skipped', meta: {} },
          ],
        },
      ],
    })
    const note = (description) => ({ annotations: [{ type: 'processor', description }] })
    const tests = [{ projectName: 'pages', results: [note('3.10'), note('2.00')] }]
    const playwright = costsOfPlaywright({
      suites: [{ suites: [{ specs: [{ file: 'vm.spec.ts', title: 'a page', tests }] }] }],
    })
    const parts = [{ name: 'unit', costs: vitest }, { name: 'e2e', costs: playwright }, { name: 'types' }]
    expect(dearestOf(parts, 3).split('\n')).toEqual([
      '  40.0 s  unit: a walk',
      '   5.1 s  e2e: pages: vm.spec.ts: a page',
      '   0.2 s  unit: a plan',
    ])
  })

  const report = (...assertionResults) => ({ testResults: [{ status: 'failed', assertionResults }] })

  it('counts a test file that could not be loaded', () => {
    const { testResults } = report({ status: 'passed' }, { status: 'failed' }, { status: 'skipped' })
    const broken = { status: 'failed', assertionResults: [] }
    expect(
      countVitest({ testResults: [...testResults, broken, { status: 'passed', assertionResults: [] }] }),
    ).toEqual({
      passed: 1,
      failed: 2,
      skipped: 1,
      flaky: 0,
    })
  })

  it('counts a test of vitest that passed only at another try apart, too', () => {
    expect(
      countVitest(
        report(
          { status: 'passed', failureMessages: [] },
          { status: 'passed', failureMessages: ['lost a race'] },
          { status: 'failed', failureMessages: ['wrong', 'wrong again'] },
        ),
      ),
    ).toEqual({ passed: 1, failed: 1, skipped: 0, flaky: 1 })
  })

  it.each([
    ['!full', { passed: 1, skipped: 1 }],
    ['full', { passed: 1, skipped: 2 }],
    [null, { passed: 1, skipped: 3 }],
  ])('does not count what the filter %j left out', (filter, counts) => {
    const all = report(
      { status: 'passed' },
      { status: 'skipped' },
      { status: 'skipped', tags: ['full'] },
      { status: 'todo', tags: ['full'] },
    )
    expect(countVitest(all, filter)).toMatchObject(counts)
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

describe('what failed, told at the end', () => {
  it('names tests of vitest that failed, passed later or could not be loaded', () => {
    const assertionResults = [
      { fullName: 'good', status: 'passed', failureMessages: [] },
      { fullName: 'late', status: 'passed', failureMessages: ['first', '\u001b[31msecond\u001b[39m'] },
      { fullName: 'bad', status: 'failed', failureMessages: ['why\n'.repeat(40)] },
    ]
    const testResults = [
      { status: 'failed', assertionResults },
      { name: 'a.test.ts', status: 'failed', assertionResults: [], message: 'no such module' },
      { name: 'b.test.ts', status: 'failed', assertionResults: [{ status: 'skipped' }], message: 'no tap' },
    ]
    const troubles = troublesOfVitest({ testResults })
    expect(troubles).toMatchObject([
      { test: 'late', passed: true, why: 'first\nsecond' },
      { test: 'bad', passed: false },
      { test: 'a.test.ts', passed: false, why: 'no such module' },
      { test: 'b.test.ts', passed: false, why: 'no tap' },
    ])
    expect(troubles[1].why.split('\n').length).toBeLessThan(40)
  })

  it('names tests of Playwright in whatever suite they stand', () => {
    const spec = (title, status, ...messages) => ({
      file: 'a.spec.ts',
      title,
      tests: [{ status, results: messages.map((message) => ({ error: message && { message } })) }],
    })
    const inner = { specs: [spec('late', 'flaky', 'once', undefined), spec('good', 'expected', undefined)] }
    const suites = [{ suites: [inner], specs: [spec('bad', 'unexpected', 'one', 'two')] }]
    expect(troublesOfPlaywright({ suites, errors: [{ message: 'no browser' }] })).toEqual([
      { test: 'a.spec.ts: late', passed: true, why: 'once' },
      { test: 'a.spec.ts: bad', passed: false, why: 'one\ntwo' },
      { test: 'the run', passed: false, why: 'no browser' },
    ])
  })

  it('puts each with its part, and says nothing when there is nothing', () => {
    const trouble = { test: 'one', passed: false, why: 'because\nof that' }
    expect(troublesOf([{ name: 'guests', troubles: [trouble] }, { name: 'types' }])).toBe(
      'FAILED  guests: one\n        because\n        of that',
    )
    expect(troublesOf([{ name: 'types' }])).toBe('')
  })
})
