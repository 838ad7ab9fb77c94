/** How every part of the reconciler stores what it found out: the status follows, and whoever watches is told. */
import type { Clock } from '../lib/clock.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, type VmChange, type VmRecord } from './vm.state.ts'

/** Entries and writes that belong to a change. */
export type Beside = NonNullable<Parameters<VmRepo['change']>[2]>

/** Stores a change and announces the VM. Null when the VM has been removed meanwhile. */
export type StoreVm = (
  vm: VmRecord,
  change: (current: VmRecord) => VmChange,
  beside?: Beside,
) => Promise<VmRecord | null>

export function makeVmStore(options: {
  repo: VmRepo
  announce: (vm: VmRecord) => Promise<void>
  clock: Clock
}): StoreVm {
  const { repo, announce, clock } = options
  return async function storeVm(vm, change, beside) {
    const next = await repo.change(vm.id, (current) => changed(current, change(current), clock.now()), beside)
    if (next) await announce(next)
    return next
  }
}
