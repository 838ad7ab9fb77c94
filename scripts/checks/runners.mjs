import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { run } from '../setup/run.mjs'
import { inTree } from '../setup/tree.mjs'

/** A step that is a vitest run; with a `label` its output is shown behind that. @returns {import('./step.mjs').Step} */
export function vitest(name, { args, env, label }) {
  const common = ['run', '--passWithNoTests', '--reporter=default', '--reporter=json']
  return runner(name, (report) => ({
    program: 'vitest',
    args: [...common, `--outputFile.json=${report}`, ...args],
    env,
    label,
    count: countVitest,
  }))
}

/** A step that is a Playwright run; its output is shown behind `label`. @returns {import('./step.mjs').Step} */
export function playwright(name, { args = [], label }) {
  return runner(name, (report) => ({
    program: 'npm',
    args: [
      'run',
      'e2e',
      '--workspace=@slipway/e2e',
      '--',
      '--pass-with-no-tests',
      '--reporter=list,json',
      ...args,
    ],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    label,
    count: countPlaywright,
  }))
}

/** Runs a test runner and reads the counts from its report, never from its words. */
function runner(name, describe) {
  return {
    name,
    async run() {
      const report = inTree('.cache/reports', `${name.replaceAll(/\W+/g, '-')}.json`)
      const { program, args, env, label, count } = describe(report)
      mkdirSync(dirname(report), { recursive: true })
      rmSync(report, { force: true })
      const { code, output } = await run(program, args, { env, quiet: !label, label })
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

/**
 * A file that could not even be loaded has no tests to count, but it has failed. A test that passed after a failure
 * needed another try; see {@link countPlaywright}.
 */
export function countVitest(report) {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  const flaky = report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0).length
  return {
    passed: report.numPassedTests - flaky,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
    flaky,
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
