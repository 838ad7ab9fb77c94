// @module-tag full
import { describe, expect, it } from 'vitest'
import { runCampaign } from './campaign.ts'
import { fuzz } from './fuzz.ts'
import { planSteps } from './planner.ts'
import { report } from './report.ts'

const seed = 13

describe('a short campaign on the simulated engine', () => {
  it('keeps every promise while users do everything and faults are dealt', async () => {
    const steps = planSteps({ seed, kills: null, log: () => {} })
    const outcome = await runCampaign({ seed, engine: 'simulated', users: 4, steps, lastsMs: 20_000 })
    expect(outcome.violations, report(outcome)).toEqual([])
  })

  it('loses and doubles nothing when the server is killed again and again', async () => {
    const steps = planSteps({ seed, kills: 6, log: () => {} })
    const outcome = await runCampaign({ seed, engine: 'simulated', users: 3, steps })
    expect(outcome.violations, report(outcome)).toEqual([])
    expect(outcome.restarts).toBe(6)
  })

  it('answers 1,200 hostile calls of every role as its contract says', async () => {
    const lines: string[] = []
    const clean = await fuzz({ seed, calls: 1_200, log: (line) => void lines.push(line) })
    expect(clean, lines.join('\n')).toBe(true)
  })
})
