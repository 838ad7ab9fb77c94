import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { run } from '../setup/run.mjs'
import { filesUnder, inTree } from '../setup/tree.mjs'

/**
 * Which tests of a layer: those of `npm test`, those that it leaves to the full run, or both.
 * @typedef {'fast' | 'rest' | 'full'} Share
 */

/** The filter of vitest for a share, unless a layer has another one; the tag stands in vitest.config.ts. */
const tagsOfShares = { fast: '!full', rest: 'full' }

/**
 * A step that is a vitest run; with a `label` its output is shown behind that, and with a `niceness` it comes after what
 * runs beside it (nice(1)). `workers` is how many processors it takes, by default all but one.
 * @param {string} name
 * @param {{ share: Share, tags?: Record<'fast' | 'rest', string | null>, args: string[], env?: Record<string, string>, label?: string,
 *   niceness?: number, workers?: string }} options
 * @returns {import('./step.mjs').Step}
 */
export function vitest(name, { share, tags = tagsOfShares, args, env, label, niceness = 0, workers }) {
  const common = ['run', '--passWithNoTests', '--reporter=default', '--reporter=json']
  const filter = share === 'full' ? null : tags[share]
  return runner(name, share, (report) => ({
    program: 'nice',
    args: [
      '-n',
      `${niceness}`,
      'vitest',
      ...common,
      `--outputFile.json=${report}`,
      ...(filter ? [`--tags-filter=${filter}`] : []),
      ...filesWithout(filter).map((file) => `--exclude=${file}`),
      ...(workers ? [`--maxWorkers=${workers}`] : []),
      ...args,
    ],
    env,
    label,
    readings: {
      counts: (report) => countVitest(report, filter),
      troubles: troublesOfVitest,
      costs: costsOfVitest,
    },
  }))
}

/**
 * Test files of which a filter takes nothing. Vitest loads them all the same and skips their tests, and then nobody ends what
 * a file opens when it is loaded, such as a server in a process of its own.
 * @param {string | null} filter a tag, or `!` and a tag
 */
export function filesWithout(filter, files = testFiles()) {
  if (!filter) return []
  const tag = filter.replace('!', '')
  const ofAll = new RegExp(`^// @module-tag ${tag}$`, 'm')
  const ofSome = new RegExp(`tags: \\[[^\\]]*'${tag}'`)
  return files.filter((file) => {
    const text = readFileSync(file, 'utf8')
    return filter.startsWith('!') ? ofAll.test(text) : !ofAll.test(text) && !ofSome.test(text)
  })
}

const testFiles = () =>
  ['packages', 'campaign', 'e2e', 'scripts']
    .flatMap((folder) => filesUnder(inTree(folder)))
    .filter((file) => /\.test\.(ts|mjs)$/.test(file))

/**
 * A step that is a Playwright run; its output is shown behind `label`.
 * @param {string} name
 * @param {{ share: Share, label: string }} options
 * @returns {import('./step.mjs').Step}
 */
export function playwright(name, { share, label }) {
  return runner(name, share, (report) => ({
    program: 'npm',
    args: ['run', 'e2e', '--workspace=@slipway/e2e', '--', '--reporter=list,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report, E2E_SHARE: share },
    label,
    readings: { counts: countPlaywright, troubles: troublesOfPlaywright, costs: costsOfPlaywright },
  }))
}

/** Runs a test runner and reads the counts from its report, never from its words. */
function runner(name, share, describe) {
  return {
    name,
    async run() {
      const report = inTree('.cache/reports', share, `${name.replaceAll(/\W+/g, '-')}.json`)
      const { program, args, env, label, readings } = describe(report)
      mkdirSync(dirname(report), { recursive: true })
      rmSync(report, { force: true })
      const { code, output, processor } = await run(program, args, { env, quiet: !label, label })
      const counts = read(report, readings.counts)
      const troubles = read(report, readings.troubles) ?? []
      const costs = read(report, readings.costs) ?? []
      if (!counts)
        return {
          ok: false,
          processor,
          output: `${output}\n${name}: the runner ended (exit code ${code}) without a report.`,
        }
      return { ok: code === 0, output, processor, counts, troubles, costs }
    },
  }
}

function read(report, what) {
  try {
    return what(JSON.parse(readFileSync(report, 'utf8')))
  } catch {
    return null
  }
}

/**
 * A file that could not even be loaded has no tests to count, but it has failed. A test that passed after a failure
 * needed another try; see {@link countPlaywright}. What the filter left out is not counted: the other share has it.
 * @param {any} report
 * @param {string | null} filter a tag, or `!` and a tag
 */
export function countVitest(report, filter = null) {
  const all = report.testResults.flatMap((file) => file.assertionResults)
  const count = (what) => all.filter(what).length
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  const flaky = count(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0)
  const tag = filter?.replace('!', '')
  const isOfShare = ({ tags = [] }) => !filter || tags.includes(tag) !== filter.startsWith('!')
  return {
    passed: count(({ status }) => status === 'passed') - flaky,
    failed: count(({ status }) => status === 'failed') + broken.length,
    skipped: count((test) => test.status !== 'passed' && test.status !== 'failed' && isOfShare(test)),
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

/** Every test that failed at least once, with what each failed try said. @returns {import('./step.mjs').Trouble[]} */
export function troublesOfVitest(report) {
  return report.testResults.flatMap((file) => {
    // It could not be loaded, or what it sets up first failed.
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'))
      return [{ test: file.name, passed: false, why: shortened(file.message) }]
    return file.assertionResults
      .filter(({ failureMessages = [] }) => failureMessages.length > 0)
      .map(({ fullName, status, failureMessages }) => ({
        test: fullName,
        passed: status === 'passed',
        why: ofTries(failureMessages),
      }))
  })
}

/** As {@link troublesOfVitest}. @returns {import('./step.mjs').Trouble[]} */
export function troublesOfPlaywright({ suites = [], errors = [] }) {
  const inSuite = (suite) => [
    ...(suite.suites ?? []).flatMap(inSuite),
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === 'unexpected' || status === 'flaky')
        .map(({ status, results }) => ({
          test: `${spec.file}: ${spec.title}`,
          passed: status === 'flaky',
          why: ofTries(results.flatMap(({ error }) => error?.message ?? [])),
        })),
    ),
  ]
  const ofTheRun = errors.map(({ message }) => ({ test: 'the run', passed: false, why: shortened(message) }))
  return [...suites.flatMap(inSuite), ...ofTheRun]
}

/** What each test took, as `cost-of-test.mjs` noted it. @returns {import('./step.mjs').Cost[]} */
export const costsOfVitest = ({ testResults }) =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, meta }) => ({ test: fullName, processor: meta?.processor ?? 0 })),
  )

/** As {@link costsOfVitest}; the fixtures note it in an annotation of each try. @returns {import('./step.mjs').Cost[]} */
export function costsOfPlaywright({ suites = [] }) {
  const inSuite = (suite) => [
    ...(suite.suites ?? []).flatMap(inSuite),
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map(({ projectName, results }) => ({
        test: `${projectName}: ${spec.file}: ${spec.title}`,
        processor: results
          .flatMap(({ annotations = [] }) => annotations)
          .filter(({ type }) => type === 'processor')
          .reduce((sum, { description }) => sum + Number(description), 0),
      })),
    ),
  ]
  return suites.flatMap(inSuite)
}

const LINES = 12
/** The first lines without colours: enough to know what it is about, the rest stands above. */
function shortened(message = '') {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the control character that begins a colour
  const plain = message.replaceAll(/\u001b\[[0-9;]*m/g, '')
  return plain
    .split('\n')
    .slice(0, LINES)
    .map((line) => line.slice(0, 300))
    .join('\n')
}

/** What the tries of a test said: a later one may only stumble over what the first left behind. @param {string[]} messages */
const ofTries = (messages) => [...new Set(messages.map(shortened))].join('\n')
