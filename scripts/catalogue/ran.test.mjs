import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { heldByNothing, readRan } from './ran.mjs'

let dir

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ran-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

const root = '/repository/'
const unit = (...results) => ({
  testResults: [
    {
      name: '/repository/packages/a.test.ts',
      assertionResults: results.map(([title, status]) => ({ title, status })),
    },
  ],
})
const browser = (...results) => ({
  config: { rootDir: '/repository/e2e' },
  suites: [
    {
      suites: [
        {
          specs: results.map(([title, status]) => ({
            file: 'journeys/b.spec.ts',
            title,
            tests: [{ status }],
          })),
        },
      ],
    },
  ],
})

function faultsOf(reports, ...tests) {
  for (const [index, report] of reports.entries())
    writeFileSync(join(dir, `${index}.json`), JSON.stringify(report))
  const named = tests.map((test) => {
    const [testFile, title] = test.split(': ')
    return { testFile, title }
  })
  return heldByNothing([{ id: 'VML-001', later: null, tests: named }], readRan(root, dir))
}

it('a test that ran holds its row, whichever runner it has and whatever its title is filled with', () => {
  const reports = [
    unit(['starts', 'passed'], ['asks vm.get for 5 s', 'failed'], ['limits /a in words', 'passed']),
    browser(['shows b', 'expected'], ['shows c at once', 'flaky']),
  ]
  for (const test of [
    ...['packages/a.test.ts: starts', 'packages/a.test.ts: asks … for %s s'],
    ...['packages/a.test.ts: limits $path in words', 'e2e/journeys/b.spec.ts: shows b'],
    ...['e2e/journeys/b.spec.ts: shows … at once', 'packages/engine.suite.ts: starts'],
  ])
    expect(faultsOf(reports, test)).toEqual([])
})

it.each([
  ['is skipped by vitest', [unit(['starts', 'skipped'])], 'packages/a.test.ts: starts'],
  ['is one to write', [unit(['starts', 'todo'])], 'packages/a.test.ts: starts'],
  ['is skipped by Playwright', [browser(['starts', 'skipped'])], 'e2e/journeys/b.spec.ts: starts'],
  ['has another title', [unit(['starts late', 'passed'])], 'packages/a.test.ts: starts'],
  ['is in another file', [unit(['starts', 'passed'])], 'packages/b.test.ts: starts'],
])('a test that %s holds nothing', (_, reports, test) => {
  expect(faultsOf(reports, test)).toEqual([`VML-001: none of its tests ran: ${test}`])
})

it('one test that ran is enough, under a title that others skip or beside another one', () => {
  const reports = [unit(['starts', 'passed'], ['starts', 'skipped'], ['stops', 'skipped'])]
  expect(faultsOf(reports, 'packages/a.test.ts: starts', 'packages/a.test.ts: stops')).toEqual([])
})

it('a row that waits for what is not built is held by nothing, and says so itself', () => {
  expect(heldByNothing([{ id: 'VML-001', later: 'mice', tests: [] }], new Map())).toEqual([])
})
