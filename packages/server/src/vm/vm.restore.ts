/**
 * Puts a VM back to a snapshot: copies what the snapshot holds, then changes the disks. Either may take minutes and is a
 * job beside the looks. While it copies it can be cancelled; from when its disks change it can only be finished.
 */
import { cutToFit, nameLimit } from '@slipway/contract'
import { change as becomes, entry, failure } from '../activity/entry.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import { backoffMs } from '../lib/backoff.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { JobOutcome } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { vmSubject } from './vm.activity.ts'
import { keyOfThen } from './vm.change.ts'
import type { VmJobs } from './vm.jobs.ts'
import type { VmRepo } from './vm.repo.ts'
import { isStoppedSince, type VmRecord } from './vm.state.ts'
import type { Beside, StoreVm } from './vm.store.ts'
import { retryMessage } from './vm.words.ts'

export interface VmRestoreOptions {
  repo: VmRepo
  engine: Engine
  jobs: VmJobs
  store: StoreVm
  /** For how far it is, whatever else is requested meanwhile. */
  observed: StoreVm
  /** Tells whoever watches that a restore left a snapshot behind. */
  announceSnapshot: (snapshotId: string) => Promise<void>
  /** A snapshot could not be read: somebody should look at it. */
  suspectSnapshot: (snapshotId: string) => void
  /** Its disks cannot be changed, and trying again does not help. `kept` is the snapshot of what they were. */
  giveUp: (vm: VmRecord, error: EngineError, kept: Kept | null) => Promise<Again>
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  clock: Clock
  log: Log
}

/** A snapshot that a restore leaves behind: its name, and how it is stored. */
export interface Kept {
  name: string
  beside: Beside
}

/** What came of changing the disks. */
type Switched = Awaited<ReturnType<Engine['switchDisks']>>
type Failure = Extract<JobOutcome<unknown>, { ok: false }>

const progressEveryMs = 1_000
/** How long disks may fail to change that could still come good. */
const failingMs = 15 * 60_000
const dayMs = 24 * 60 * 60_000

export function makeVmRestore(options: VmRestoreOptions) {
  const { repo, engine, jobs, store, observed, announceSnapshot, suspectSnapshot, giveUp, wake, clock, log } =
    options

  /** Which restore the job of a VM is for, by its safety point. */
  const restoreOf = new Map<string, string>()

  /** Since when the disks of a VM fail to change; a new process counts anew. */
  const failingSince = new Map<string, number>()

  /** Begins to copy what the snapshot holds, or takes the outcome. Whatever goes wrong here, the VM is as it was. */
  async function prepare(vm: VmRecord): Promise<Again> {
    const snapshot = await repo.snapshotOf(vm)
    if (!snapshot || !vm.restore) return drop(vm, 'The snapshot no longer exists.')
    const job = jobs.find(vm.id)
    // The copies of a restore that was cancelled, or of one before, are none of this one.
    if (job && (job.aborted || job.kind !== 'copy' || restoreOf.get(vm.id) !== vm.restore.safetyId))
      return (await end(vm.id)) ? 'now' : 'when-kicked'
    if (!job) await copy(vm, vm.restore.snapshotId, snapshot)
    if (job?.state !== 'settled') return 'when-kicked'
    const outcome = jobs.peek<void>(vm.id)
    if (outcome?.ok) {
      const isStored = await store(vm, () => ({
        known: { restorePrepared: true },
        statusMessage: `Restoring from snapshot "${snapshot.name}".`,
      }))
      if (isStored) jobs.forget(vm.id)
      return 'now'
    }
    const error = outcome?.error
    const why = error instanceof EngineError ? error.message : 'The host reported an error.'
    log.warn({ vm: vm.id, err: error }, 'a restore could not be prepared')
    if (error instanceof EngineError && ['snapshot-missing', 'internal'].includes(error.code))
      suspectSnapshot(vm.restore.snapshotId)
    return drop(vm, why)
  }

  async function copy(
    vm: VmRecord,
    snapshotId: string,
    snapshot: NonNullable<Awaited<ReturnType<VmRepo['snapshotOf']>>>,
  ): Promise<void> {
    const attached = await repo.diskIds(vm.id)
    const volumeIds = attached.filter((id) => snapshot.disks.some(({ disk_id }) => disk_id === id))
    const what = `Restoring from snapshot "${snapshot.name}"`
    if (!vm.restore || !(await store(vm, () => ({ statusMessage: `${what}.` })))) return
    restoreOf.set(vm.id, vm.restore.safetyId)
    jobs.start({
      ...(await jobOf(vm, what)),
      kind: 'copy',
      async run(work) {
        // Copies that an earlier restore left may be of other disks.
        await engine.dropRestore(vm.id)
        await engine.prepareRestore(vm.id, { snapshotId, volumeIds }, work)
      },
    })
  }

  /** What both jobs of a restore have in common: the VM tells how far they are. */
  async function jobOf(vm: VmRecord, what: string) {
    const { id } = vm
    let shownAt = clock.now()
    return {
      id,
      subject: await jobs.subjectOf(vm, 'vmSnapshot.restore'),
      onProgress() {
        const fraction = jobs.progressOf(id)
        if (fraction === null || clock.now() - shownAt < progressEveryMs) return
        shownAt = clock.now()
        const shown = observed(vm, (current) =>
          current.restore?.safetyId === vm.restore?.safetyId &&
          current.known.restorePrepared === vm.known.restorePrepared
            ? { statusMessage: `${what}: ${Math.floor(fraction * 100)} %.` }
            : {},
        )
        inBackground(log, 'showing the progress of a restore', shown)
      },
      onSettled: () => wake(id),
    }
  }

  /**
   * Ends copies that nobody wants any more, because the VM is to be deleted or its restore was cancelled, and the change
   * of disks of a VM that is to be deleted. False while that is still ending; the VM is looked at again when it has.
   */
  async function end(vmId: string): Promise<boolean> {
    failingSince.delete(vmId)
    const job = jobs.find(vmId)
    if (!job) return true
    if (job.state !== 'settled') {
      jobs.abort(vmId)
      return false
    }
    await engine.dropRestore(vmId)
    jobs.forget(vmId)
    restoreOf.delete(vmId)
    return true
  }

  async function drop(vm: VmRecord, why: string): Promise<Again> {
    const failed = failure('vm.notRestored', `VM ${vm.name} could not be restored and is unchanged`, why)
    const isStored = await store(
      vm,
      () => ({
        restore: null,
        // Of a guest that runs on, a stop meanwhile is asked for.
        wanted: { force: false },
        known: { restorePrepared: true },
        statusMessage: `The VM could not be restored and is unchanged. ${why}`,
      }),
      { tell: (current) => [entry(clock.now(), vmSubject(current), failed)] },
    )
    if (isStored) {
      jobs.forget(vm.id)
      restoreOf.delete(vm.id)
    }
    return 'now'
  }

  /**
   * Begins to put the copies in place, or takes the outcome. A server that was killed meanwhile has no job: the next one
   * begins it again, and that finishes what was begun.
   */
  async function switchDisks(vm: VmRecord, judgedRun: string | null): Promise<Again> {
    const { restore } = vm
    if (!restore) return 'now'
    const job = jobs.find(vm.id)
    if (job?.kind === 'copy') {
      jobs.forget(vm.id)
      restoreOf.delete(vm.id)
      return 'now'
    }
    if (!job) await beginSwitch(vm, restore.safetyId, 0)
    if (job?.state !== 'settled') return 'when-kicked'
    // Kept until it is stored: when that fails, the next look finds it again.
    const outcome = jobs.peek<Switched>(vm.id)
    if (!outcome) return 'now'
    if (!outcome.ok) return switchAgain(vm, restore.safetyId, outcome)
    failingSince.delete(vm.id)
    if (await finish(vm, restore.safetyId, judgedRun, outcome.value)) jobs.forget(vm.id)
    return 'now'
  }

  async function beginSwitch(vm: VmRecord, safetyId: string, delayMs: number): Promise<void> {
    const snapshot = await repo.snapshotOf(vm)
    jobs.start<Switched>({
      ...(await jobOf(vm, `Restoring from snapshot "${snapshot?.name ?? ''}"`)),
      // Not shown as an operation: those can be cancelled.
      kind: 'plug',
      delayMs,
      run: (work) => engine.switchDisks(vm.id, safetyId, work),
    })
  }

  /**
   * Its disks may be neither the old nor the new ones now, so what can still come good is waited for, for a while. What
   * does not answer says nothing of the disks.
   */
  async function switchAgain(vm: VmRecord, safetyId: string, failed: Failure): Promise<Again> {
    const { error, aborted, failures } = failed
    jobs.take(vm.id)
    if (aborted) return 'now'
    log.warn({ vm: vm.id, failures, err: error }, 'the disks of a VM could not be changed')
    const now = clock.monotonic()
    const since = failingSince.get(vm.id) ?? now
    if (error instanceof EngineError && !error.retryable) {
      failingSince.delete(vm.id)
      return leave(vm, safetyId, error)
    }
    // An exchange that has begun is finished at the next occasion anyway, so it is not said to be over before.
    const isSpent = error instanceof EngineError && error.code !== 'away' && now - since > failingMs
    if (isSpent && (await engine.dropRestore(vm.id)) === 'dropped') {
      failingSince.delete(vm.id)
      return drop(vm, error.message)
    }
    failingSince.set(vm.id, since)
    const retryInMs = backoffMs(failures)
    if (error instanceof EngineError)
      await store(vm, () => ({ statusMessage: retryMessage(error, retryInMs) }))
    await beginSwitch(vm, safetyId, retryInMs)
    return 'when-kicked'
  }

  /** Its disks are what they are now; what they were is the user's, where it was saved by then. */
  async function leave(vm: VmRecord, safetyId: string, error: EngineError): Promise<Again> {
    const { state } = await engine.inspectSnapshot('machine', safetyId)
    const source = { machineId: vm.id, volumeIds: [], memory: false }
    const work = { signal: new AbortController().signal, onProgress: () => {} }
    // It is there, so this only tells what it is.
    const made = state === 'whole' ? await engine.createMachineSnapshot(safetyId, source, work) : null
    const again = await giveUp(vm, error, made && (await keep(vm, safetyId, made)))
    if (made) await announceSnapshot(safetyId)
    return again
  }

  /** What the disks were is a snapshot now, which is kept for a day. */
  async function keep(
    vm: VmRecord,
    safetyId: string,
    made: Pick<Switched, 'consistency' | 'storedBytes' | 'volumeIds'>,
  ): Promise<Kept> {
    const snapshot = await repo.snapshotOf(vm)
    const wasOff = !vm.known.admitted && vm.known.fault === null
    const now = clock.now()
    const safety = {
      id: safetyId,
      project_id: vm.projectId,
      vm_id: vm.id,
      vm_name: vm.name,
      name: cutToFit(`Before restoring "${snapshot?.name ?? ''}"`, nameLimit),
      description: 'Created automatically. Restore it to undo the restore.',
      status: 'ready',
      status_message: null,
      status_since: isoTime(now),
      snapshot_type: 'disk' as const,
      has_memory: 0 as const,
      // What ran, or crashed, was cut off.
      consistency: wasOff ? made.consistency : 'crash',
      disks: JSON.stringify(snapshot?.disks.filter(({ disk_id }) => made.volumeIds.includes(disk_id)) ?? []),
      automatic: 1 as const,
      schedule_id: null,
      bin_id: null,
      scheduled: null,
      stored_bytes: made.storedBytes,
      retention_days: 1,
      expires_at: isoTime(now + dayMs),
      metadata: null,
      created_at: isoTime(now),
    }
    const keptWhat = `Snapshot ${safety.name} of VM ${vm.name} is ready`
    const kept = becomes('vmSnapshot.ready', keptWhat, 'It contains the state from before the restore.')
    const ofSafety = {
      type: 'vm_snapshot',
      id: safety.id,
      name: safety.name,
      projectId: vm.projectId,
    } as const
    const alongside = vm.projectId === null ? undefined : repo.addSnapshot(safety, entry(now, ofSafety, kept))
    return { name: safety.name, beside: { alongside } }
  }

  async function finish(
    vm: VmRecord,
    safetyId: string,
    judgedRun: string | null,
    made: Switched,
  ): Promise<boolean> {
    const snapshot = await repo.snapshotOf(vm)
    const { beside } = await keep(vm, safetyId, made)
    const now = clock.now()
    const restored = becomes(
      'vm.restored',
      `VM ${vm.name} was restored from snapshot ${snapshot?.name ?? ''}`,
    )
    const isStored = await store(
      vm,
      (current) => ({
        restore: null,
        ...keyOfThen(current),
        // What was running goes on, unless its user has stopped it since.
        wanted: made.memory && !isStoppedSince(current) ? { power: 'on', force: false } : { force: false },
        known: {
          admitted: false,
          silent: false,
          restorePrepared: false,
          fault: null,
          provisioned: true,
          restarts: current.wanted.restarts,
          ...(judgedRun !== null && { judgedRun }),
        },
        statusMessage: null,
        steps: [],
      }),
      {
        ...beside,
        tell: (current) => [entry(now, vmSubject(current), restored)],
      },
    )
    if (!isStored) return false
    await announceSnapshot(safetyId)
    return true
  }

  return { prepare, end, drop, switchDisks }
}
