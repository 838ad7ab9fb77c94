import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { run } from '../setup/run.mjs'
import { inTree } from '../setup/tree.mjs'

/** A step that is a vitest run. @returns {import('./step.mjs').Step} */
export function vitest(name, { args, env, show = false }) {
  return runner(name, (report) => ({
    program: 'vitest',
    args: [
      'run',
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ],
    env,
    show,
    count: countVitest,
  }))
}

/** A step that is a Playwright run. @returns {import('./step.mjs').Step} */
export function playwright(name) {
  return runner(name, (report) => ({
    program: 'npm',
    args: ['run', 'e2e', '--workspace=@slipway/e2e', '--', '--pass-with-no-tests', '--reporter=list,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    show: true,
    count: countPlaywright,
  }))
}

/** Runs a test runner and reads the counts from its report, never from its words. */
function runner(name, describe) {
  return {
    name,
    async run() {
      const report = inTree('.cache/reports', `${name.replaceAll(/\W+/g, '-')}.json`)
      const { program, args, env, show, count } = describe(report)
      mkdirSync(dirname(report), { recursive: true })
      rmSync(report, { force: true })
      const { code, output } = await run(program, args, { env, quiet: !show })
      const counts = read(report, count)
      if (!counts)
        return {
          ok: false,
          output: `${output}\n${name}: the runner ended (exit code ${code}) without a report.`,
        }
      return { ok: code === 0, output, counts }
    },
  }
}

function read(report, count) {
  try {
    return count(JSON.parse(readFileSync(report, 'utf8')))
  } catch {
    return null
  }
}

/** A file that could not even be loaded has no tests to count, but it has failed. */
export function countVitest(report) {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** A test that needed its second try has passed, but never silently: it is counted apart and has to be mended. */
export function countPlaywright({ stats, errors }) {
  return {
    passed: stats.expected,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
    flaky: stats.flaky,
  }
}
