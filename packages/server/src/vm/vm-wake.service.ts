/** Starts suspended VMs for whoever connects to them, and waits until they can be reached. */
import { entry } from '../activity/entry.ts'
import type { Clock } from '../lib/clock.ts'
import { vmSubject, woken } from './vm.activity.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, type VmRecord } from './vm.state.ts'

/** How long a connection waits. Reading a large memory back from a slow disk takes that long. */
const patienceMs = 60_000
const pollMs = 100

/** `late`: it is still on its way; `not-asleep`: it was not suspended, or somebody wants it stopped. */
export type Woken = 'up' | 'late' | 'not-asleep'

export interface VmWakeOptions {
  repo: Pick<VmRepo, 'find' | 'change' | 'isFrozen'>
  kick: (vmId: string) => void
  announce: (vm: VmRecord) => Promise<void>
  clock: Clock
}

export function makeVmWake({ repo, kick, announce, clock }: VmWakeOptions) {
  /** One wait for each VM, however many connect. */
  const waking = new Map<string, Promise<Woken>>()
  const pause = () => new Promise<void>((resolve) => clock.after(pollMs, resolve))

  async function start(vmId: string): Promise<boolean> {
    if (await repo.isFrozen(vmId)) return false
    let isStarted = false
    const vm = await repo.change(
      vmId,
      (current) => {
        isStarted = !current.wanted.deleted && current.wanted.power === 'suspended'
        return isStarted
          ? changed(current, { wanted: { power: 'on' }, statusMessage: null, steps: [] }, clock.now())
          : current
      },
      { tell: (current) => (isStarted ? [entry(clock.now(), vmSubject(current), woken(current))] : []) },
    )
    if (!vm || !isStarted) return false
    kick(vmId)
    await announce(vm)
    return true
  }

  async function startAndWait(vmId: string): Promise<Woken> {
    if (!(await start(vmId))) return 'not-asleep'
    for (const until = clock.monotonic() + patienceMs; clock.monotonic() < until; await pause()) {
      const vm = await repo.find(vmId)
      if (!vm || vm.wanted.deleted || vm.wanted.power !== 'on' || vm.known.fault) return 'not-asleep'
      if (vm.status === 'running' && vm.address) return 'up'
    }
    return 'late'
  }

  return {
    wake(vmId: string): Promise<Woken> {
      const begun = waking.get(vmId)
      if (begun !== undefined) return begun
      const work = startAndWait(vmId).finally(() => waking.delete(vmId))
      waking.set(vmId, work)
      return work
    },
    /** Whether somebody waits for a VM that was suspended. */
    isWaking: (vmId: string): boolean => waking.has(vmId),
  }
}
