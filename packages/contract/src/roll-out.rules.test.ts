import { describe, expect, it } from 'vitest'
import { hasOlderVms, isRollOutUnderWay, keptRootDiskTooSmall, rollOutStates } from './roll-out.rules.ts'

describe('a roll-out', () => {
  const group = (state: (typeof rollOutStates)[number], renewed_vms = 0, total_vms = 0) => ({
    roll_out: { state, renewed_vms, total_vms },
  })

  it('is under way while it runs or is paused', () => {
    expect(rollOutStates.filter((state) => isRollOutUnderWay(group(state)))).toEqual(['running', 'paused'])
  })

  it('leaves older VMs until all are renewed', () => {
    expect([0, 2, 3].map((renewed) => hasOlderVms(group('none', renewed, 3)))).toEqual([true, true, false])
    expect(hasOlderVms(group('none', 0, 0))).toBe(false)
  })

  it('to a template with a larger root disk is refused with the least size', () => {
    expect(keptRootDiskTooSmall(8)).toBe(
      'The root disk of this template has 8 GB. Enter at least 8 for the root disk.',
    )
  })
})
