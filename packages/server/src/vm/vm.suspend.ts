/**
 * Suspends a VM: a job beside the looks saves the memory of its guest, which runs on meanwhile and ends when that is
 * complete. Whatever goes wrong, the guest runs on and the wish is taken back.
 */
import { entry } from '../activity/entry.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { notResumed, notSuspended, vmSubject } from './vm.activity.ts'
import type { VmJobs } from './vm.jobs.ts'
import { enterStep, type VmRecord } from './vm.state.ts'
import type { StoreVm } from './vm.store.ts'

const progressEveryMs = 1_000

export interface VmSuspendOptions {
  engine: Engine
  jobs: VmJobs
  store: StoreVm
  /** For how far it is, whatever else is requested meanwhile. */
  observed: StoreVm
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  clock: Clock
  log: Log
}

/** By itself, or with its project. */
const isInBin = ({ wanted, powerBack }: VmRecord): boolean => wanted.kept || powerBack !== null

/** The id of the job, beside that of a restore, which has the id of the VM. */
const jobIdOf = (vmId: string): string => `suspend ${vmId}`

export function makeVmSuspend({ engine, jobs, store, observed, wake, clock, log }: VmSuspendOptions) {
  /** Begins to save the memory of a living guest, or takes the outcome. */
  async function begin(vm: VmRecord): Promise<Again> {
    const id = jobIdOf(vm.id)
    const job = jobs.find(id)
    if (!job) await startJob(vm, id)
    if (job?.state !== 'settled') return 'when-kicked'
    const outcome = jobs.peek<void>(id)
    // One that was aborted says nothing of this wish. After a success its guest has ended, unless it lives again.
    if (!outcome || outcome.ok || outcome.aborted) {
      jobs.forget(id)
      return 'now'
    }
    const { error } = outcome
    // Its guest ended meanwhile: the next look judges that.
    if (error instanceof EngineError && error.code === 'snapshot-lost') {
      jobs.forget(id)
      return 'now'
    }
    log.warn({ vm: vm.id, err: error }, 'a VM could not be suspended')
    return giveUp(vm, error instanceof EngineError ? error.message : 'The host reported an error.')
  }

  async function startJob(vm: VmRecord, id: string): Promise<void> {
    const { id: vmId } = vm
    const subject = await jobs.subjectOf(vm, 'vm.suspend')
    let shownAt = clock.now()
    jobs.start<void>({
      id,
      // Not shown as an operation: stopping the VM ends it.
      kind: 'plug',
      subject,
      run: (work) => engine.suspendMachine(vmId, work),
      onProgress() {
        const fraction = jobs.progressOf(id)
        if (fraction === null || clock.now() - shownAt < progressEveryMs) return
        shownAt = clock.now()
        const shown = observed(vm, (current) =>
          current.status === 'suspending'
            ? { statusMessage: `Saving the memory: ${Math.floor(fraction * 100)} %.` }
            : {},
        )
        inBackground(log, 'showing the progress of a suspend', shown)
      },
      onSettled: () => wake(vmId),
    })
  }

  /** Ends the saving of memory that nobody wants any more; false while that is still ending. */
  function end(vmId: string): boolean {
    const id = jobIdOf(vmId)
    const job = jobs.find(id)
    if (!job) return true
    if (job.state !== 'settled') {
      jobs.abort(id)
      return false
    }
    jobs.forget(id)
    return true
  }

  /** Takes the wish back. `why`: its guest lives on; null: it has ended, and is judged by that. */
  async function giveUp(vm: VmRecord, why: string | null): Promise<Again> {
    let isTaken = false
    const statusMessage = why === null ? null : `The VM could not be suspended and is still running. ${why}`
    await store(
      vm,
      (current) => {
        // Stopped or deleted since: that is another wish.
        isTaken = current.wanted.power === 'suspended'
        if (!isTaken) return {}
        // In the bin nothing runs.
        return isInBin(current) ? { wanted: { power: 'off' } } : { wanted: { power: 'on' }, statusMessage }
      },
      {
        tell: (current) =>
          isTaken && why !== null && !isInBin(current)
            ? [entry(clock.now(), vmSubject(current), notSuspended(current, why))]
            : [],
      },
    )
    return 'now'
  }

  /** Its guest boots although its memory was kept. */
  async function booted(vm: VmRecord, why: string): Promise<void> {
    const booting = (current: VmRecord) => ({
      statusMessage: `The VM could not resume and boots instead. ${why}`,
      steps: enterStep(current.steps, 'boot', clock.now()),
    })
    await store(vm, booting, {
      tell: (current) => [entry(clock.now(), vmSubject(current), notResumed(current, why))],
    })
  }

  return { begin, end, giveUp, booted }
}
