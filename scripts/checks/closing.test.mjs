import { describe, expect, it } from 'vitest'
import { toldOfCluster } from './closing.mjs'

const part = {
  name: 'tests on a cluster',
  verdict: 'ok',
  startedAt: 0,
  seconds: 61.4,
  counts: { passed: 40, failed: 1, skipped: 20, flaky: 1 },
}
const env = { SLIPWAY_TEST_KUBECONFIG: '/tmp/kubeconfig' }

describe('the line about tests on a cluster', () => {
  it('says loudly that they were skipped where no cluster is named', () => {
    expect(toldOfCluster([part], {})).toMatch(/^SKIPPED: .* SLIPWAY_TEST_KUBECONFIG names none/)
  })

  it('says how many ran and how long they took', () => {
    expect(toldOfCluster([part], env)).toBe('42 tests ran on a cluster in 61 s, 20 more were skipped there')
  })

  it('does not call a run without a report a good one', () => {
    expect(toldOfCluster([], env)).toContain('without a report')
  })
})
