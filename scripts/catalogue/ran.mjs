import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * What ran, by the reports of vitest and Playwright: for each file the titles, and whether a test of that title ran
 * rather than being skipped on this machine.
 * @param {string} root the repository
 * @param {string} dir the directory of the reports, with a folder for each share of the tests
 * @returns {Map<string, Map<string, boolean>>}
 */
export function readRan(root, dir) {
  /** @type {Map<string, Map<string, boolean>>} */
  const ran = new Map()
  const add = (path, title, didRun) => {
    const file = relative(root, path)
    const titles = ran.get(file) ?? new Map()
    ran.set(file, titles.set(title, didRun || titles.get(title) === true))
  }
  for (const name of readdirSync(dir, { recursive: true }).filter((one) => one.endsWith('.json'))) {
    const report = JSON.parse(readFileSync(join(dir, name), 'utf8'))
    for (const { name: path, assertionResults } of report.testResults ?? [])
      for (const { title, status } of assertionResults)
        add(path, title, status === 'passed' || status === 'failed')
    for (const { file, title, tests } of (report.suites ?? []).flatMap(specsOf))
      add(
        join(report.config.rootDir, file),
        title,
        tests.some(({ status }) => status !== 'skipped'),
      )
  }
  return ran
}

/** The tests of one of Playwright's suites and of those in it. */
const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)]

/**
 * The rows of the catalogue that nothing held: none of their tests ran.
 * @param {import('./rows.mjs').Row[]} rows
 * @param {ReturnType<typeof readRan>} ran
 * @returns {string[]} faults
 */
export function heldByNothing(rows, ran) {
  const didRun = ({ testFile, title }) => {
    const pattern = patternOf(title)
    // The tests of a suite run in the files that use it.
    const files = testFile.endsWith('.suite.ts') ? [...ran.values()] : [ran.get(testFile) ?? []]
    return files.some((titles) => [...titles].some(([one, didRun]) => didRun && pattern.test(one)))
  }
  return rows
    .filter(({ tests, later }) => !(later && tests.length === 0) && !tests.some(didRun))
    .map(({ id, tests }) => {
      const names = tests.map(({ testFile, title }) => `${testFile}: ${title}`)
      return `${id}: none of its tests ran: ${names.join('; ')}`
    })
}

/** Matches what a title is once it is filled in: `…` stands for expressions, `%s` and `$name` for values of a table. */
function patternOf(title) {
  const parts = title.split(/…|%[sdifjop#$]|\$[a-z]\w*/i)
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('.*')}$`, 's')
}
