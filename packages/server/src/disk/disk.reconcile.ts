/** Makes data disks what their users want: looks at one, asks the plan, does the one step, stores what came of it. */
import type { Entry } from '../activity/entry.ts'
import { type Engine, EngineError, type VolumeSource } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Progress } from '../lib/progress.ts'
import type { Again } from '../lib/reconciler.ts'
import { notReleased } from './disk.activity.ts'
import { type DiskStep, planDisk } from './disk.plan.ts'
import type { DiskChange, DiskRepo } from './disk.repo.ts'
import type { DiskRecord } from './disk.state.ts'

export interface DiskReconcileOptions {
  repo: DiskRepo
  engine: Engine
  announce: (record: DiskRecord) => Promise<void>
  announceVm: (vmId: string) => Promise<void>
  /** A VM waits for disks that are made for it. */
  wakeVm: (vmId: string) => void
  /** A snapshot could not be read: somebody should look at it. */
  suspectSnapshot: (snapshotId: string) => void
  progress: Progress
  /** Aborted when the server closes; what was begun is begun again by the next one. */
  signal: AbortSignal
  clock: Clock
  log: Log
}

/** With the reconciler's back-off this is a few minutes of a source that does not answer. */
const triesToMake = 6

function sourceOf({ origin }: DiskRecord): VolumeSource {
  const { source, image_url, snapshot_id, snapshot_kind } = origin
  if (source === 'HTTP') return { from: 'url', url: image_url ?? '' }
  if (source === 'REGISTRY') return { from: 'registry', image: image_url ?? '' }
  if (source === 'EMPTY' || snapshot_id === null) return { from: 'nothing' }
  return { from: `${snapshot_kind ?? 'volume'}-snapshot`, snapshotId: snapshot_id }
}

export function makeDiskReconcile(options: DiskReconcileOptions) {
  const { repo, engine, announce, announceVm, wakeVm, suspectSnapshot, progress, signal, clock, log } =
    options

  async function look(id: string): Promise<Again> {
    const record = await repo.find(id)
    if (!record) return 'when-kicked'
    const seen = await engine.inspectVolume(id)
    // Nothing can be said about it now: the next try may be able to read it.
    if (seen.state === 'unreadable') throw new EngineError('internal', seen.reason, { retryable: true })
    return act(record, planDisk(record.facts, seen.state))
  }

  async function settle(id: string, change: DiskChange, tell?: (disk: DiskRecord) => Entry[]): Promise<void> {
    const from = ['creating', 'available', 'attached', 'error'] as const
    const record = await repo.change(id, clock.now(), from, change, tell)
    if (record) await announce(record)
  }

  async function act(record: DiskRecord, step: DiskStep): Promise<Again> {
    const { id } = record.disk
    const { vmId } = record.facts
    switch (step) {
      case 'rest':
        return 'when-kicked'
      case 'make':
        await make(record)
        return 'when-kicked'
      case 'delete':
        await engine.deleteVolume(id)
        await repo.remove(id, clock.now())
        return 'when-kicked'
      case 'lose':
        log.warn({ disk: id }, 'the volume of a disk is lost or damaged')
        await settle(id, { status: 'error', status_message: lostMessage })
        return 'now'
      case 'plug':
        if (vmId !== null) await engine.attachVolume(vmId, id)
        await settle(id, { plugged: 1, status_message: null })
        return 'now'
      case 'free':
        await settle(id, { detaching: 0 })
        return 'now'
      case 'unplug': {
        const answer = vmId === null ? 'released' : await engine.detachVolume(vmId, id)
        const released = answer === 'released'
        const status = released && record.facts.status === 'attached' ? { status: 'available' } : {}
        await settle(
          id,
          {
            detaching: 0,
            ...(released && { vm_id: null, plugged: 0, owner_vm_id: null }),
            ...status,
          },
          (disk) => (released ? [] : [notReleased(disk, clock.now())]),
        )
        if (vmId !== null) await announceVm(vmId)
        return 'now'
      }
    }
  }

  async function make(record: DiskRecord): Promise<void> {
    const { id } = record.disk
    try {
      const made = await engine.createVolume(id, sourceOf(record), record.sizeBytes, {
        signal,
        onProgress(fraction) {
          if (progress.set(id, fraction)) void announce(record)
        },
      })
      const owner = record.ownerVmId
      await settle(id, {
        // The VM it is made for has not started yet: it finds the disk when it does.
        ...(owner === null ? { status: 'available' } : { status: 'attached', vm_id: owner, plugged: 1 }),
        status_message: null,
        size_bytes: made.sizeBytes,
        image_sha256: made.sha256,
      })
      if (owner !== null) {
        await announceVm(owner)
        wakeVm(owner)
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof EngineError) || error.retryable) throw error
      await fail(id, error.message)
      const { snapshot_id } = record.origin
      if (error.code === 'snapshot-missing' && snapshot_id !== null) suspectSnapshot(snapshot_id)
    } finally {
      progress.end(id)
    }
  }

  async function fail(id: string, message: string): Promise<void> {
    // What was begun must not lie around for an object that nobody can use.
    await engine.deleteVolume(id)
    const failed = { status: 'failed', status_message: message }
    const record = await repo.change(id, clock.now(), ['creating'], failed)
    if (!record) return
    await announce(record)
    if (record.ownerVmId !== null) wakeVm(record.ownerVmId)
  }

  /** Shows on the disk why a step keeps failing; a creation gives up after enough tries. */
  async function showFailure(id: string, error: unknown, failures: number, retryInMs: number): Promise<void> {
    const record = await repo.find(id)
    if (!record || signal.aborted || record.facts.status === 'deleting') return
    const what = error instanceof EngineError ? error.message : 'The host could not do it.'
    if (record.facts.status === 'creating' && failures >= triesToMake) {
      await fail(id, `${what} Delete this disk and create it again.`)
      return
    }
    const seconds = Math.max(1, Math.round(retryInMs / 1000))
    await settle(id, { status_message: `${what} Trying again in ${seconds} s.` })
  }

  /** What needs a look: everything that is not at rest, and disks whose volume is gone. */
  async function scan(): Promise<string[]> {
    const [records, volumes] = await Promise.all([repo.all(), engine.listVolumes()])
    const present = new Set(volumes)
    return records
      .filter(({ disk, facts }) => planDisk(facts, present.has(disk.id) ? 'whole' : 'absent') !== 'rest')
      .map(({ disk }) => disk.id)
  }

  return { look, scan, showFailure }
}

const lostMessage =
  'The data of this disk is missing or damaged on the host. Create a new disk from one of its snapshots.'
