import { run } from '../setup/run.mjs'

/**
 * One step of `npm run check` or `npm test`. `run` resolves with whether it went well, the output to show when it
 * did not, and for test runners how many tests passed, failed, were skipped and passed at the second try only.
 * @typedef {{ passed: number, failed: number, skipped: number, flaky?: number }} Counts
 * @typedef {{ ok: boolean, output?: string, counts?: Counts }} Outcome
 * @typedef {{ name: string, run: () => Promise<Outcome> }} Step
 */

/** A step that is a command: it went well when the exit code is 0. @returns {Step} */
export function command(name, program, ...args) {
  return {
    name,
    async run() {
      const { code, output } = await run(program, args, { quiet: true })
      return { ok: code === 0, output }
    },
  }
}

/**
 * Runs steps in order and says of each what came out and how long it took.
 * @param {Step[]} steps
 * @param {{ untilFailure: boolean }} options
 * @returns {Promise<{ ok: boolean, counts: Counts }>}
 */
export async function runSteps(steps, { untilFailure }) {
  const total = { passed: 0, failed: 0, skipped: 0, flaky: 0 }
  let ok = true
  for (const step of steps) {
    const started = performance.now()
    const outcome = await step.run()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    // A step that broke without a failed test to show for it is a failure all the same.
    const counts = outcome.counts ?? { passed: 0, failed: 0, skipped: 0 }
    const failed = outcome.ok ? counts.failed : Math.max(counts.failed, 1)
    total.passed += counts.passed
    total.failed += failed
    total.skipped += counts.skipped
    total.flaky += counts.flaky ?? 0
    if (failed > 0) console.log(outcome.output ?? '')
    const verdict = failed > 0 ? 'FAILED' : 'ok'
    console.log(
      `${verdict.padEnd(6)}  ${step.name.padEnd(28)} ${seconds.padStart(6)} s  ${told(outcome.counts)}`.trimEnd(),
    )
    if (failed === 0) continue
    ok = false
    if (untilFailure) break
  }
  return { ok, counts: total }
}

/** `12 passed, 0 failed`, and how many were skipped or flaky if any were. @param {Counts | undefined} counts */
export function told(counts) {
  if (!counts) return ''
  const { passed, failed, skipped, flaky = 0 } = counts
  const rest = [skipped > 0 ? `, ${skipped} skipped` : '', flaky > 0 ? `, ${flaky} FLAKY` : '']
  return `${passed} passed, ${failed} failed${rest.join('')}`
}
