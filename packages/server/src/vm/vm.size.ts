/**
 * Gives the guest of a VM processors and memory that it does not have yet: a job beside the looks talks to the guest. One that
 * cannot be given them now is asked again from time to time: its agent may come later, or the host have more room.
 */
import { entry } from '../activity/entry.ts'
import type { Engine, MachineSize } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { sizeGrown, vmSubject } from './vm.activity.ts'
import type { Admission } from './vm.admission.ts'
import { lacksSize, sizeTaken } from './vm.change.ts'
import type { VmJobs } from './vm.jobs.ts'
import type { VmRecord } from './vm.state.ts'
import type { StoreVm } from './vm.store.ts'

export interface VmSizeOptions {
  engine: Pick<Engine, 'growMachine'>
  admission: Pick<Admission, 'lend'>
  jobs: VmJobs
  store: StoreVm
  /** For what the guest has, whatever is requested meanwhile. */
  observed: StoreVm
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  clock: Clock
  log: Log
}

/** A guest that has just booted may be up long before its agent answers. */
const agentComesMs = 60_000
const askAgainMs = { whileItComes: 2_000, later: 5 * 60_000 } as const

/** What a machine has after that, in which run; null where nothing is given to guests that run. */
type Given = { run: string | null; has: MachineSize | null }

const jobIdOf = (vmId: string): string => `size ${vmId}`

export function makeVmSize({ engine, admission, jobs, store, observed, wake, clock, log }: VmSizeOptions) {
  async function start(vm: VmRecord, run: string | null): Promise<void> {
    const { id: vmId, cpu, memoryMb, nextCpu, nextMemoryMb } = vm
    const subject = await jobs.subjectOf(vm, 'vm.update')
    const moreMb = Math.max(0, (nextMemoryMb ?? 0) - memoryMb)
    const giveBack = await admission.lend(vm, moreMb)
    const wished = {
      cpu: Math.max(cpu, nextCpu ?? 0),
      // Without room for it, processors may still be had.
      memoryMb: memoryMb + (giveBack ? moreMb : 0),
    }
    jobs.start<Given>({
      id: jobIdOf(vmId),
      // Not shown as an operation: it ends within seconds.
      kind: 'plug',
      subject,
      run: async () => {
        try {
          return { run, has: await engine.growMachine(vmId, wished) }
        } finally {
          giveBack?.()
        }
      },
      onSettled: () => wake(vmId),
    })
  }

  /** Stores what the guest has; the wish may have changed meanwhile. */
  async function note(vm: VmRecord, has: MachineSize): Promise<VmRecord | null> {
    if (sizeTaken(vm, has) === null) return vm
    return observed(vm, (current) => sizeTaken(current, has) ?? {}, {
      tell: (current) => [entry(clock.now(), vmSubject(current), sizeGrown(current))],
    })
  }

  /** Nobody gives it to the guest soon. */
  async function putOff(vm: VmRecord): Promise<void> {
    if (vm.sizeDue === 'soon')
      await store(vm, (current) => (current.sizeDue === 'soon' ? { sizeDue: 'next_start' } : {}))
  }

  return {
    /** Whether there is something to do, or an outcome to take. */
    isDue: (vm: VmRecord): boolean => lacksSize(vm) || jobs.find(jobIdOf(vm.id)) !== null,

    /** Begins to give a living guest what it lacks, or takes the outcome. */
    async give(vm: VmRecord, run: string | null): Promise<Again> {
      const id = jobIdOf(vm.id)
      const job = jobs.find(id)
      if (!job) await start(vm, run)
      if (job?.state !== 'settled') return 'when-kicked'
      const isYoung = clock.now() - vm.statusSince < agentComesMs
      const again = { afterMs: isYoung ? askAgainMs.whileItComes : askAgainMs.later }
      // Kept until it is stored: when that fails, the next look finds it again.
      const outcome = jobs.peek<Given>(id)
      if (!outcome?.ok) {
        log.warn({ vm: vm.id, err: outcome?.error }, 'a guest could not be given more processors and memory')
        if (!isYoung) await putOff(vm)
        jobs.forget(id)
        return again
      }
      const { has } = outcome.value
      const isOfNow = outcome.value.run === run
      const now = isOfNow && has ? await note(vm, has) : vm
      const isLeft = now !== null && isOfNow && lacksSize(now)
      if (isLeft && (!isYoung || has === null)) await putOff(now)
      jobs.forget(id)
      if (!isOfNow) return 'now'
      return isLeft && has !== null ? again : 'when-kicked'
    },

    forget: (vmId: string) => jobs.forget(jobIdOf(vmId)),
  }
}
