/**
 * How every part of the reconciler stores what it found out: the status follows, and whoever watches is told. An outcome
 * belongs to the request that it was worked for: once its user has asked for something else, it is none any more.
 */
import type { Clock } from '../lib/clock.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, isSameRequest, type VmChange, type VmRecord } from './vm.state.ts'

/** Entries and writes that belong to a change. */
export type Beside = NonNullable<Parameters<VmRepo['change']>[2]>

/**
 * Stores an outcome of what was requested of `vm`, as that was read, and announces the VM. Null when the VM has been
 * removed meanwhile, or something else was requested of it: nothing is stored then, and the next look decides.
 */
export type StoreVm = (
  vm: VmRecord,
  change: (current: VmRecord) => VmChange,
  beside?: Beside,
) => Promise<VmRecord | null>

export interface VmStore {
  /** What came of a request. */
  outcome: StoreVm
  /** What the engine shows, whatever is requested. */
  observed: StoreVm
}

export function makeVmStore(options: {
  repo: VmRepo
  announce: (vm: VmRecord) => Promise<void>
  clock: Clock
}): VmStore {
  const { repo, announce, clock } = options
  const storeIf =
    (isStill: (vm: VmRecord, current: VmRecord) => boolean): StoreVm =>
    async (vm, change, beside) => {
      let isStored = true
      const next = await repo.change(
        vm.id,
        (current) => {
          isStored = isStill(vm, current)
          return isStored ? changed(current, change(current), clock.now()) : current
        },
        beside,
      )
      if (!next || !isStored) return null
      await announce(next)
      return next
    }
  return { outcome: storeIf(isSameRequest), observed: storeIf(() => true) }
}
