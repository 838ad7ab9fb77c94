import { vitest } from './runners.mjs'

/** The tests that take a cluster; without one each file says so and skips. @type {import('./step.mjs').Step} */
export const onCluster = vitest('tests on a cluster', { args: ['--project=cluster'], label: 'cluster' })

/**
 * A sentence about them that nobody overlooks, whether they ran or not.
 * @param {import('./step.mjs').Part[]} parts
 * @param {Record<string, string | undefined>} env
 * @returns {string}
 */
export function toldOfCluster(parts, env) {
  if (!env.SLIPWAY_TEST_KUBECONFIG)
    return 'SKIPPED: THE TESTS ON A CLUSTER, because SLIPWAY_TEST_KUBECONFIG names none (docs/testing.md)'
  const part = parts.find(({ name }) => name === onCluster.name)
  if (!part?.counts) return 'The tests on a cluster ended without a report'
  const { passed, failed, skipped, flaky = 0 } = part.counts
  const ran = passed + failed + flaky
  return `${ran} tests ran on a cluster in ${part.seconds.toFixed(0)} s, ${skipped} more were skipped there`
}
