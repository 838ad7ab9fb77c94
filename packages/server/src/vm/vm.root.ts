/**
 * Makes the root disk of a VM larger, as a job: the engine lets that wait while the VM is being copied, and asks its guest.
 * However often a server is killed meanwhile, the wish stays until the engine has said how large the disk is.
 */
import { entry } from '../activity/entry.ts'
import { type Engine, EngineError, type RootGrown } from '../engine/engine.ts'
import { backoffMs } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { JobOutcome } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { rootGrown, rootNotGrown, vmSubject } from './vm.activity.ts'
import { rootArrived } from './vm.change.ts'
import type { VmJobs } from './vm.jobs.ts'
import type { VmRecord } from './vm.state.ts'
import type { StoreVm } from './vm.store.ts'
import { retryMessage } from './vm.words.ts'

export interface VmRootOptions {
  engine: Pick<Engine, 'growRoot'>
  jobs: VmJobs
  store: StoreVm
  /** For what the engine has made of it, whatever is requested meanwhile. */
  observed: StoreVm
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  clock: Clock
  log: Log
}

type Failure = Extract<JobOutcome<unknown>, { ok: false }>

const jobIdOf = (vmId: string): string => `root ${vmId}`

export function makeVmRoot({ engine, jobs, store, observed, wake, clock, log }: VmRootOptions) {
  async function start(vm: VmRecord, sizeBytes: number, delayMs: number): Promise<void> {
    const { id: vmId } = vm
    jobs.start<RootGrown>({
      id: jobIdOf(vmId),
      // Not shown as an operation: it ends within seconds.
      kind: 'plug',
      subject: await jobs.subjectOf(vm, 'vm.update'),
      delayMs,
      run: () => engine.growRoot(vmId, sizeBytes),
      onSettled: () => wake(vmId),
    })
  }

  async function note(vm: VmRecord, { sizeBytes, fileSystem }: RootGrown): Promise<void> {
    const told = rootGrown(vm, sizeBytes, fileSystem === 'grown')
    await observed(
      vm,
      (current) => ({
        ...rootArrived(current, sizeBytes),
        // A guest that is silent still is, and a restore tells how far it is.
        ...(!current.known.silent && !current.restore && { statusMessage: null }),
      }),
      {
        tell: (current) => [entry(clock.now(), vmSubject(current), told)],
      },
    )
  }

  async function tryAgain(vm: VmRecord, sizeBytes: number, { error, failures }: Failure): Promise<void> {
    if (error instanceof EngineError && !error.retryable) {
      const isStored = await store(vm, () => ({ nextRootBytes: null }), {
        tell: (current) => [entry(clock.now(), vmSubject(current), rootNotGrown(current, error.message))],
      })
      if (isStored) jobs.forget(jobIdOf(vm.id))
      else jobs.take(jobIdOf(vm.id))
      return
    }
    const retryInMs = backoffMs(failures)
    log.warn({ vm: vm.id, failures, retryInMs, err: error }, 'a root disk could not be made larger')
    if (error instanceof EngineError)
      await store(vm, () => ({ statusMessage: retryMessage(error, retryInMs) }))
    jobs.take(jobIdOf(vm.id))
    await start(vm, sizeBytes, retryInMs)
  }

  return {
    /** Whether there is something to do, or an outcome to take. */
    isDue: ({ id, nextRootBytes }: VmRecord): boolean =>
      nextRootBytes !== null || jobs.find(jobIdOf(id)) !== null,

    /** Begins to make it as large as was asked for, or takes the outcome. */
    async grow(vm: VmRecord): Promise<Again> {
      const id = jobIdOf(vm.id)
      const { nextRootBytes } = vm
      const job = jobs.find(id)
      if (!job) {
        if (nextRootBytes !== null) await start(vm, nextRootBytes, 0)
        return 'when-kicked'
      }
      if (job.state !== 'settled') {
        // One that waits for its next try was for a size that nobody wants any more.
        if (nextRootBytes === null && job.state === 'waiting') jobs.abort(id)
        return 'when-kicked'
      }
      // Kept until it is stored: when that fails, the next look finds it again.
      const outcome = jobs.peek<RootGrown>(id)
      if (outcome?.ok) await note(vm, outcome.value)
      if (outcome?.ok === false && nextRootBytes !== null && !outcome.aborted) {
        await tryAgain(vm, nextRootBytes, outcome)
        return 'when-kicked'
      }
      jobs.forget(id)
      return 'now'
    },

    forget: (vmId: string) => jobs.forget(jobIdOf(vmId)),
  }
}
