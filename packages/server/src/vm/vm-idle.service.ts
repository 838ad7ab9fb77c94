/**
 * Suspends VMs that nobody uses for as long as their owners chose. Looks at them now and then, at the server that drives:
 * sessions at other servers are not seen, so it is for engines that run on one host, as are all that can suspend.
 */
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Uses } from '../lib/uses.ts'
import { isBusy, type Load, looked, type Watched } from './vm.idle.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, suspendsAtOf, type VmRecord } from './vm.state.ts'

const everyMs = 30_000

export interface VmIdleOptions {
  repo: Pick<VmRepo, 'leftAlone' | 'change'>
  /** Who is connected to VMs through this server. */
  uses: Pick<Uses, 'isUsedSince'>
  /** What VMs did since a moment; those that nobody measured are left out. */
  loadsSince: (then: number) => ReadonlyMap<string, Load>
  suspend: (vmId: string) => Promise<boolean>
  announce: (vm: VmRecord) => Promise<void>
  underLease: <T>(act: () => T) => T
  clock: Clock
  log: Log
}

export function makeVmIdle(options: VmIdleOptions) {
  const { repo, uses, loadsSince, suspend, announce, underLease, clock, log } = options
  let watched = new Map<string, Watched>()
  let cancel: (() => void) | null = null
  let working: Promise<void> = Promise.resolve()

  async function store(vmId: string, idleSince: number | null): Promise<VmRecord | null> {
    const vm = await repo.change(vmId, (current) =>
      current.status !== 'running' || current.idleSince === idleSince
        ? current
        : changed(current, { idleSince }, clock.now()),
    )
    if (vm) await announce(vm)
    return vm
  }

  async function look(): Promise<void> {
    const vms = await repo.leftAlone()
    const time = { monotonic: clock.monotonic(), now: clock.now() }
    const loads = vms.length === 0 ? new Map<string, Load>() : loadsSince(time.now - everyMs)
    const next = new Map<string, Watched>()
    for (const vm of vms) {
      const isUsed = uses.isUsedSince(vm.id, time.monotonic - everyMs) || isBusy(loads.get(vm.id) ?? null)
      const seen = looked(watched.get(vm.id), vm, isUsed, time)
      if (seen.watched) next.set(vm.id, seen.watched)
      if (seen.idleSince !== vm.idleSince) await store(vm.id, seen.idleSince)
      const at = suspendsAtOf({ idleSince: seen.idleSince, suspendAfterMin: vm.suspendAfterMin })
      if (at !== null && at <= time.now) await suspend(vm.id)
    }
    watched = next
  }

  function lookLater(): void {
    cancel = clock.after(everyMs, () => {
      working = underLease(look).catch((error: unknown) =>
        log.error({ err: error }, 'It could not be looked for VMs that are not used'),
      )
      lookLater()
    })
  }

  return {
    start: lookLater,
    /** Resolves when the look under way has ended; for tests. */
    idle: () => working,
    async stop() {
      cancel?.()
      await working
    },
  }
}
