import { describe, expect, it } from 'vitest'
import { restChange } from './vm.bin.ts'
import { alivePowers, isAlive, seenPowers, statusOf } from './vm.plan.ts'
import type { VmRecord } from './vm.state.ts'

const powers = ['on', 'off', 'suspended'] as const
const flags = [true, false]

/** Every VM that there can be in a project that goes to the bin, as far as that asks. */
function* everyVm(): Generator<VmRecord> {
  for (const power of powers)
    for (const seenPower of seenPowers)
      for (const fault of [null, 'failed', 'error', 'lost'] as const)
        for (const provisioned of flags)
          for (const admitted of flags)
            for (const restored of flags)
              for (const restarts of [0, 1])
                for (const powerBack of [null, ...powers]) {
                  const wanted = {
                    ...{ power, force: false, restarts, deleted: false },
                    ...{ kept: false, restore: restored },
                  }
                  const known = {
                    ...{ admitted, provisioned, restarts: 0, judgedRun: null, fault },
                    ...{ silent: false, restorePrepared: false },
                  }
                  const status = statusOf(wanted, known, { power: seenPower })
                  const restore = restored ? { snapshotId: 's', safetyId: 't' } : null
                  // The rest of it is not asked for.
                  yield { wanted, known, seenPower, status, restore, powerBack } as unknown as VmRecord
                }
}

describe('a VM whose project goes to the bin', () => {
  it('is not wanted on any more, unless something has to end first', () => {
    for (const vm of everyVm())
      for (const suspends of flags) {
        const change = restChange(vm, suspends)
        if (change === 'busy') continue
        expect(change.wanted?.power ?? vm.wanted.power).not.toBe('on')
        expect(change.powerBack).not.toBeNull()
      }
  })

  it('comes back as what it is wanted to be, or was before it rested', () => {
    for (const vm of everyVm()) {
      const change = restChange(vm, true)
      if (change === 'busy') continue
      expect(change.powerBack).toBe(
        vm.wanted.power === 'on' ? 'on' : vm.powerBack === null ? vm.wanted.power : vm.powerBack,
      )
    }
  })

  it('never loses the memory that it goes on from', () => {
    for (const vm of everyVm()) {
      const change = restChange(vm, true)
      if (change === 'busy' || vm.known.fault !== null || vm.wanted.power === 'off') continue
      if (vm.seenPower === 'suspended' || vm.status === 'running')
        expect(change.wanted?.power ?? vm.wanted.power).toBe('suspended')
    }
  })

  it('waits only for what ends by itself: a restore, a guest on its way, or a host that cannot be read', () => {
    for (const vm of everyVm()) {
      if (restChange(vm, true) !== 'busy') continue
      const isOnItsWay =
        vm.wanted.power === 'on' &&
        vm.known.fault === null &&
        (isAlive({ power: vm.seenPower }) || vm.known.admitted)
      expect(vm.restore !== null || vm.seenPower === 'unreadable' || isOnItsWay).toBe(true)
    }
  })

  it('is shut down where the engine cannot suspend', () => {
    for (const vm of everyVm()) {
      const change = restChange(vm, false)
      const isLiving = (alivePowers as readonly string[]).includes(vm.seenPower)
      if (change === 'busy' || !isLiving || vm.wanted.power !== 'on' || vm.known.fault !== null) continue
      expect(change.wanted?.power).toBe('off')
    }
  })
})
