import { run } from '../setup/run.mjs'

/**
 * One step of `npm run check` or `npm test`. `run` resolves with whether it succeeded, the output to show when it
 * did not, and for test runners how many tests passed, failed, were skipped and passed at the second try only.
 * A step with `lanes` is a group: its lanes run side by side, the steps of each lane one after the other.
 * @typedef {{ passed: number, failed: number, skipped: number, flaky?: number }} Counts
 * @typedef {{ test: string, passed: boolean, why: string }} Trouble a test that failed, at its first tries or at all
 * @typedef {{ test: string, processor: number }} Cost seconds of a processor that a test took
 * @typedef {{ ok: boolean, output?: string, processor?: number, counts?: Counts, troubles?: Trouble[], costs?: Cost[] }} Outcome
 * @typedef {{ name: string, run: () => Promise<Outcome> }} Step
 * @typedef {{ lanes: Step[][] }} Group
 * @typedef {{ name: string, verdict: string, startedAt: number, seconds: number, processor?: number, counts?: Counts, troubles?: Trouble[], costs?: Cost[] }} Part
 */

/** A step that is a command: it succeeded when the exit code is 0. @returns {Step} */
export function command(name, program, ...args) {
  return {
    name,
    async run() {
      const { code, output, processor } = await run(program, args, { quiet: true })
      return { ok: code === 0, output, processor }
    },
  }
}

/** Steps that do not wait for each other: each argument is a lane. @param {Step[][]} lanes @returns {Group} */
export const sideBySide = (...lanes) => ({ lanes })

/**
 * Runs steps in order, and the lanes of a group side by side. Prints the result of each step when it ends.
 * @param {(Step | Group)[]} steps
 * @param {{ untilFailure: boolean }} options
 * @returns {Promise<{ ok: boolean, counts: Counts, parts: Part[] }>} parts in the order in which they ended
 */
export async function runSteps(steps, { untilFailure }) {
  const total = { passed: 0, failed: 0, skipped: 0, flaky: 0 }
  const begin = performance.now()
  /** @type {Part[]} */
  const parts = []
  let ok = true

  async function runOne(step) {
    const startedAt = performance.now() - begin
    const outcome = await step.run()
    // A step that broke without a failed test to show for it is a failure all the same.
    const counts = outcome.counts ?? { passed: 0, failed: 0, skipped: 0 }
    const failed = outcome.ok ? counts.failed : Math.max(counts.failed, 1)
    total.passed += counts.passed
    total.failed += failed
    total.skipped += counts.skipped
    total.flaky += counts.flaky ?? 0
    if (failed > 0) ok = false
    const part = {
      name: step.name,
      verdict: failed > 0 ? 'FAILED' : 'ok',
      startedAt: startedAt / 1000,
      seconds: (performance.now() - begin - startedAt) / 1000,
      processor: outcome.processor,
      counts: outcome.counts,
      troubles: outcome.troubles,
      costs: outcome.costs,
    }
    parts.push(part)
    if (failed > 0) console.log(outcome.output ?? '')
    console.log(lineOf(part))
  }

  async function runInOrder(lane) {
    for (const step of lane) {
      if (untilFailure && !ok) return
      await ('lanes' in step ? Promise.all(step.lanes.map(runInOrder)) : runOne(step))
    }
  }

  await runInOrder(steps)
  return { ok, counts: total, parts }
}

const lineOf = ({ name, verdict, seconds, processor = 0, counts }) =>
  [
    verdict.padEnd(6),
    ` ${name.padEnd(28)}`,
    `${seconds.toFixed(1).padStart(6)} s`,
    `${processor.toFixed(0).padStart(9)} s`,
    ` ${told(counts)}`,
  ]
    .join(' ')
    .trimEnd()

/** A table of all parts: when each began, how long it took, and what of a processor. @param {Part[]} parts @returns {string} */
export function tableOf(parts) {
  const rows = [...parts]
    .sort((a, b) => a.startedAt - b.startedAt)
    .map((part) => `${minutesOf(part.startedAt).padStart(6)}  ${lineOf(part)}`)
  const end = Math.max(0, ...parts.map(({ startedAt, seconds }) => startedAt + seconds))
  return [
    ' begin  result  part                           time   processor',
    ...rows,
    `${minutesOf(end).padStart(6)}  end`,
  ].join('\n')
}

/** What failed or was flaky in all parts, at the end of everything, where it is seen. @param {Part[]} parts @returns {string} */
export function troublesOf(parts) {
  return parts
    .flatMap(({ name, troubles = [] }) => troubles.map((trouble) => ({ name, ...trouble })))
    .map(({ name, test, passed, why }) =>
      [
        `${passed ? 'FLAKY ' : 'FAILED'}  ${name}: ${test}`,
        ...why.split('\n').map((line) => `        ${line}`),
      ].join('\n'),
    )
    .join('\n')
}

/** The tests that took most of a processor, which does not depend on what else the host does. @param {Part[]} parts */
export function dearestOf(parts, most = 20) {
  const all = parts.flatMap(({ name, costs = [] }) => costs.map((cost) => ({ name, ...cost })))
  return all
    .sort((a, b) => b.processor - a.processor)
    .slice(0, most)
    .map(({ name, test, processor }) => `${processor.toFixed(1).padStart(6)} s  ${name}: ${test}`)
    .join('\n')
}

/** `2:05` for 125 seconds. */
const minutesOf = (seconds) =>
  `${Math.floor(Math.round(seconds) / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`

/** `12 passed, 0 failed`, and how many were skipped or flaky if any were. @param {Counts | undefined} counts */
export function told(counts) {
  if (!counts) return ''
  const { passed, failed, skipped, flaky = 0 } = counts
  const rest = [skipped > 0 ? `, ${skipped} skipped` : '', flaky > 0 ? `, ${flaky} FLAKY` : '']
  return `${passed} passed, ${failed} failed${rest.join('')}`
}
