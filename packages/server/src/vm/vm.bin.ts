/** What becomes of a VM that goes to the bin, and what it is to be when it comes back. */
import { vmCan } from '@slipway/contract'
import { isAlive, isHeld } from './vm.plan.ts'
import type { VmChange, VmRecord } from './vm.state.ts'

/** One that was never made whole holds nothing that anybody could get back. */
export const goesToBin = ({ known }: Pick<VmRecord, 'known'>): boolean =>
  known.provisioned && known.fault !== 'failed'

/**
 * The change that puts a VM into the bin. `memory`: whether its memory goes on later, which takes an engine that can
 * suspend, and the very disks that it has: with others that stay behind its guest is cut off, as they are available at once.
 */
export function keptChange(vm: VmRecord, memory: { suspends: boolean; isSteady: boolean }): VmChange {
  const isSaved =
    memory.isSteady &&
    vm.known.fault === null &&
    (vm.wanted.power === 'suspended' ||
      (memory.suspends && vmCan.suspend(vm) === true && vm.wanted.power === 'on'))
  return {
    binId: vm.id,
    // Its group has another one by the time it comes back.
    member: null,
    wanted: {
      deleted: true,
      power: isSaved ? 'suspended' : 'off',
      force: !memory.isSteady || (vm.wanted.power === 'off' && vm.wanted.force),
    },
    ...(vm.known.fault === null && { statusMessage: null }),
  }
}

/** What it is wanted to be when it comes back: what ran runs, and what broke waits for somebody to start it. */
export function powerBack({ wanted, known }: VmRecord, after: VmChange): VmRecord['wanted']['power'] {
  if (known.fault !== null) return 'off'
  if (wanted.power === 'on') return 'on'
  return after.wanted?.power ?? 'off'
}

/**
 * The change by which a VM rests while its project is in the bin. `busy`: something goes on with it that has to end first,
 * each of which has a deadline of its own: its first boot, a start, a stop or a restore.
 */
export function restChange(vm: VmRecord, suspends: boolean): VmChange | 'busy' {
  const { wanted, known, seenPower } = vm
  // A wish that was on its way when the project was deleted is what it comes back as.
  const back = { powerBack: wanted.power === 'on' ? ('on' as const) : (vm.powerBack ?? wanted.power) }
  if (vm.restore !== null || seenPower === 'unreadable') return 'busy'
  // What broke may be found again, and must not start then.
  if (known.fault !== null) return { ...back, wanted: { power: 'off' } }
  if (wanted.power !== 'on') return back
  if (vmCan.suspend(vm) === true)
    return { ...back, wanted: { power: suspends ? 'suspended' : 'off', force: false }, statusMessage: null }
  // It was on its way back from its memory.
  if (seenPower === 'suspended') return { ...back, wanted: { power: 'suspended' }, statusMessage: null }
  // Nothing is lost by waiting for its turn later, unless its first boot begins in this moment.
  if (!isAlive({ power: seenPower }))
    return known.admitted && !known.provisioned
      ? 'busy'
      : { ...back, wanted: { power: 'off' }, statusMessage: null }
  return isHeld({ power: seenPower }) ? { ...back, wanted: { power: 'off', force: true } } : 'busy'
}
