// @module-tag full
/** The server is killed again and again while people work, on the cluster that SLIPWAY_TEST_KUBECONFIG names. */
import { expect, it } from 'vitest'
import { runCampaign } from './campaign.ts'
import { planSteps } from './planner.ts'
import { report } from './report.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
const title = 'loses, doubles and leaves nothing in a cluster when the server is killed again and again'
if (!kubeconfig) console.log(`SKIPPED: "${title}", because SLIPWAY_TEST_KUBECONFIG names no cluster`)

it.skipIf(!kubeconfig)(title, async () => {
  const seed = 13
  const steps = planSteps({ seed, kills: 3, every: 12, log: () => {} })
  const outcome = await runCampaign({ seed, engine: 'kubevirt', kubeconfig, users: 3, steps })
  expect(outcome.violations, report(outcome)).toEqual([])
  expect(outcome.restarts).toBe(3)
})
