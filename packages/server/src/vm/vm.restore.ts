/** Puts a VM back to a snapshot: copies what the snapshot holds, then changes the disks in one step. */
import { cutToFit, nameLimit } from '@slipway/contract'
import { change as becomes, entry, failure } from '../activity/entry.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Jobs } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { vmSubject } from './vm.activity.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, isStoppedSince, type VmRecord } from './vm.state.ts'
import type { StoreVm } from './vm.store.ts'

export interface VmRestoreOptions {
  repo: VmRepo
  engine: Engine
  jobs: Jobs
  store: StoreVm
  announce: (vm: VmRecord) => Promise<void>
  /** Tells whoever watches that a restore left a snapshot behind. */
  announceSnapshot: (snapshotId: string) => Promise<void>
  /** A snapshot could not be read: somebody should look at it. */
  suspectSnapshot: (snapshotId: string) => void
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  clock: Clock
  log: Log
}

const progressEveryMs = 1_000
const dayMs = 24 * 60 * 60_000

export function makeVmRestore(options: VmRestoreOptions) {
  const { repo, engine, jobs, store, announce, announceSnapshot, suspectSnapshot, wake, clock, log } = options

  /** Begins to copy what the snapshot holds, or takes the outcome. Whatever goes wrong here, the VM is as it was. */
  async function prepare(vm: VmRecord): Promise<Again> {
    const snapshot = await repo.snapshotOf(vm)
    if (!snapshot || !vm.restore) return drop(vm, 'The snapshot no longer exists.')
    const job = jobs.find(vm.id)
    // The end of a restore that was cancelled says nothing of this one.
    if (job?.state === 'settled' && job.aborted) {
      jobs.forget(vm.id)
      return 'now'
    }
    if (!job) await copy(vm, vm.restore.snapshotId, snapshot)
    if (job?.state !== 'settled') return 'when-kicked'
    const outcome = jobs.peek<void>(vm.id)
    if (outcome?.ok) {
      await store(vm, () => ({
        known: { restorePrepared: true },
        statusMessage: `Restoring from snapshot "${snapshot.name}".`,
      }))
      jobs.forget(vm.id)
      return 'now'
    }
    const error = outcome?.error
    const why = error instanceof EngineError ? error.message : 'The host reported an error.'
    log.warn({ vm: vm.id, err: error }, 'a restore could not be prepared')
    if (error instanceof EngineError && error.code === 'snapshot-missing')
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
    await store(vm, () => ({ statusMessage: `${what}.` }))
    let shownAt = clock.now()
    jobs.start({
      id: vm.id,
      kind: 'copy',
      subject: {
        action: 'vmSnapshot.restore',
        type: 'vm',
        id: vm.id,
        name: vm.name,
        projectId: vm.projectId,
      },
      run: (work) => engine.prepareRestore(vm.id, { snapshotId, volumeIds }, work),
      onProgress() {
        const fraction = jobs.progressOf(vm.id)
        if (fraction === null || clock.now() - shownAt < progressEveryMs) return
        shownAt = clock.now()
        const shown = store(vm, (current) =>
          current.restore?.snapshotId === snapshotId && !current.known.restorePrepared
            ? { statusMessage: `${what}: ${Math.floor(fraction * 100)} %.` }
            : {},
        )
        inBackground(log, 'showing the progress of a restore', shown)
      },
      onSettled: () => wake(vm.id),
    })
  }

  /**
   * Ends copies that nobody wants any more, because the VM is to be deleted or its restore was cancelled. False while
   * they are still ending; the VM is looked at again when they have.
   */
  async function end(vmId: string): Promise<boolean> {
    const job = jobs.find(vmId)
    if (!job) return true
    if (job.state !== 'settled') {
      jobs.abort(vmId)
      return false
    }
    await engine.dropRestore(vmId)
    jobs.forget(vmId)
    return true
  }

  async function drop(vm: VmRecord, why: string): Promise<Again> {
    await engine.dropRestore(vm.id)
    const failed = failure('vm.notRestored', `VM ${vm.name} could not be restored and is unchanged`, why)
    await store(
      vm,
      () => ({
        restore: null,
        // Of a guest that runs on, a stop meanwhile is asked for.
        wanted: { force: false },
        known: { restorePrepared: false },
        statusMessage: `The VM could not be restored and is unchanged. ${why}`,
      }),
      { tell: (current) => [entry(clock.now(), vmSubject(current), failed)] },
    )
    jobs.forget(vm.id)
    return 'now'
  }

  /** Puts the copies in place; what they replace becomes a snapshot that is kept for a day. */
  async function switchDisks(vm: VmRecord, judgedRun: string | null): Promise<Again> {
    const { restore } = vm
    if (!restore) return 'now'
    const snapshot = await repo.snapshotOf(vm)
    const attached = await repo.diskIds(vm.id)
    const made = await engine.switchDisks(vm.id, restore.safetyId)
    const wasOff = !vm.known.admitted && vm.known.fault === null
    const now = clock.now()
    const safety = {
      id: restore.safetyId,
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
      disks: JSON.stringify(snapshot?.disks.filter(({ disk_id }) => attached.includes(disk_id)) ?? []),
      automatic: 1 as const,
      stored_bytes: made.storedBytes,
      retention_days: 1,
      expires_at: isoTime(now + dayMs),
      metadata: null,
      created_at: isoTime(now),
    }
    const restored = becomes(
      'vm.restored',
      `VM ${vm.name} was restored from snapshot ${snapshot?.name ?? ''}`,
    )
    const keptWhat = `Snapshot ${safety.name} of VM ${vm.name} is ready`
    const kept = becomes('vmSnapshot.ready', keptWhat, 'It contains the state from before the restore.')
    const ofSafety = {
      type: 'vm_snapshot',
      id: safety.id,
      name: safety.name,
      projectId: vm.projectId,
    } as const
    const next = await repo.change(
      vm.id,
      (current) =>
        changed(
          current,
          {
            restore: null,
            // What was running goes on, unless its user has stopped it since.
            wanted:
              made.memory && !isStoppedSince(current) ? { power: 'on', force: false } : { force: false },
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
          },
          now,
        ),
      {
        tell: (current) => [entry(now, vmSubject(current), restored)],
        alongside: vm.projectId === null ? undefined : repo.addSnapshot(safety, entry(now, ofSafety, kept)),
      },
    )
    if (next) await announce(next)
    await announceSnapshot(restore.safetyId)
    return 'now'
  }

  return { prepare, end, drop, switchDisks }
}
