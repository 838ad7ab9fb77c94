import { rmSync } from 'node:fs'
import { inTree } from '../setup/tree.mjs'
import { dearestOf, runSteps, tableOf, told, troublesOf } from './step.mjs'

/**
 * Runs all steps and closes with what each cost, what failed, and the counts in the last line.
 * @param {(import('./step.mjs').Step | import('./step.mjs').Group)[]} steps
 */
export async function runToTheEnd(steps) {
  const { ok, counts, parts } = await runSteps(steps, { untilFailure: false })
  const troubles = troublesOf(parts)
  console.log(`\nThe tests that took most of a processor, without guests of QEMU:\n${dearestOf(parts)}`)
  console.log(`\n${tableOf(parts)}\n${troubles && `\n${troubles}\n`}`)
  console.log(`${toldOfCluster(parts, process.env)}\n${told(counts)}`)
  if (!ok) process.exitCode = 1
}

/** Removes the reports of former runs. @param {...import('./runners.mjs').Share} shares */
export function forgetReports(...shares) {
  for (const share of shares) rmSync(inTree('.cache/reports', share), { recursive: true, force: true })
}

/**
 * A sentence about the tests on a cluster that nobody overlooks, whether they ran or not.
 * @param {import('./step.mjs').Part[]} parts
 * @param {Record<string, string | undefined>} env
 * @returns {string}
 */
export function toldOfCluster(parts, env) {
  if (!env.SLIPWAY_TEST_KUBECONFIG)
    return 'SKIPPED: THE TESTS ON A CLUSTER, because SLIPWAY_TEST_KUBECONFIG names none (docs/testing.md)'
  const part = parts.find(({ name }) => name === 'tests on a cluster')
  if (!part?.counts) return 'The tests on a cluster ended without a report'
  const { passed, failed, skipped, flaky = 0 } = part.counts
  const ran = passed + failed + flaky
  return `${ran} tests ran on a cluster in ${part.seconds.toFixed(0)} s, ${skipped} more were skipped there`
}
