/**
 * Makes data disks what their users want: looks at one, asks the plan, does the one step, stores what came of it. A
 * disk is created by a job beside the looks; a look starts it, or stores what came of it.
 */
import { uploadExpired, uploadTexts } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { type Engine, EngineError, type VolumeMade, type VolumeSource } from '../engine/engine.ts'
import { backoffMs } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { JobKind, JobOutcome, Jobs } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { grown, notGrown, notReleased } from './disk.activity.ts'
import { isMove, type Move, makeDiskMoves } from './disk.moves.ts'
import { type DiskFacts, type DiskStep, type DiskVolume, type DiskWork, planDisk } from './disk.plan.ts'
import type { DiskChange, DiskRepo } from './disk.repo.ts'
import { type DiskRecord, isSameDiskRequest } from './disk.state.ts'

export interface DiskReconcileOptions {
  repo: DiskRepo
  engine: Engine
  jobs: Jobs
  announce: (record: DiskRecord) => Promise<void>
  announceVm: (vmId: string) => Promise<void>
  /** A VM waits for disks that are made for it. */
  wakeVm: (vmId: string) => void
  /** A snapshot could not be read: somebody should look at it. */
  suspectSnapshot: (snapshotId: string) => void
  /** Files that disks are made from: where each is, whether all of it is there, and when one waits no longer. */
  uploads: {
    pathOf: (diskId: string) => string
    isWhole: (diskId: string, bytes: number) => Promise<boolean>
    remove: (diskId: string) => Promise<void>
    /** For how many hours one waits for its next byte. */
    hours: number
    /** Nothing is removed for its age by a clock that jumped. */
    isClockTrusted: () => boolean
  }
  /** Asks for another look. */
  kick: (diskId: string) => void
  clock: Clock
  log: Log
}

/** Whether the engine has made a disk as large as it is to be; null: nobody knows how large it is. */
const growthOf = ({ nextSizeBytes, facts }: DiskRecord, sizeBytes: number | null): DiskFacts['growth'] =>
  nextSizeBytes !== null && sizeBytes !== null && sizeBytes >= nextSizeBytes ? 'done' : facts.growth

type Failure = Extract<JobOutcome<unknown>, { ok: false }>

/** With the back-off this is a few minutes of a source that does not answer. */
const triesToMake = 6

/** How often a disk is looked at whose snapshot is still being made. */
const sourcePollMs = 500

/** How often a disk is looked at that cannot be read. */
const waitMs = 60_000

/** How often a disk is looked at that is deleted and that a guest still has, and for how long that is no failure. */
const busyPollMs = 1_000
const busyPatienceMs = 120_000

const hourMs = 3_600_000

function sourceOf({ origin, upload }: DiskRecord, path: string): VolumeSource {
  if (origin.source === 'UPLOAD') return { from: 'file', path, sha256: upload?.sha256 ?? null }
  const { source, image_url, snapshot_id, snapshot_kind, snapshot_disk_id } = origin
  if (source === 'HTTP') return { from: 'url', url: image_url ?? '' }
  if (source === 'REGISTRY') return { from: 'registry', image: image_url ?? '' }
  if (source === 'EMPTY' || snapshot_id === null) return { from: 'nothing' }
  if (snapshot_kind !== 'machine') return { from: 'volume-snapshot', snapshotId: snapshot_id }
  const volume = snapshot_disk_id === null ? {} : { volumeId: snapshot_disk_id }
  return { from: 'machine-snapshot', snapshotId: snapshot_id, ...volume }
}

function kindOf({ from }: VolumeSource): JobKind {
  if (from === 'nothing') return 'quick'
  return from === 'url' || from === 'registry' ? 'fetch' : 'copy'
}

const messageOf = (error: unknown): string =>
  error instanceof EngineError ? error.message : 'The host reported an error.'

const retryText = (error: unknown, retryInMs: number): string =>
  `${messageOf(error)} Trying again in ${Math.max(1, Math.round(retryInMs / 1000))} s.`

export function makeDiskReconcile(options: DiskReconcileOptions) {
  const { repo, engine, jobs, announce, announceVm, wakeVm, suspectSnapshot, uploads, kick, clock, log } =
    options

  const moves = makeDiskMoves({
    jobs,
    attach: (vmId, id) => engine.attachVolume(vmId, id),
    detach: (vmId, id, work) => engine.detachVolume(vmId, id, work),
    grow: (id, vmId, sizeBytes) => engine.growVolume(id, vmId, sizeBytes),
    kick,
  })

  function workOn(id: string): DiskWork {
    const job = jobs.find(id)
    if (!job) return 'none'
    return job.state === 'settled' ? 'settled' : 'under-way'
  }

  async function look(id: string): Promise<Again> {
    const record = await repo.find(id)
    if (!record) {
      jobs.forget(id)
      return 'when-kicked'
    }
    const seen = await engine.inspectVolume(id)
    moves.endStale(id, record.facts)
    const reason = seen.state === 'unreadable' ? seen.reason : null
    const sizeBytes = seen.state === 'whole' ? seen.sizeBytes : null
    const growth = growthOf(record, sizeBytes)
    return act(record, planDisk({ ...record.facts, growth }, seen.state, workOn(id)), { reason, sizeBytes })
  }

  /**
   * Stores an outcome of what was requested of a disk, as that was read. Null when something else was requested meanwhile:
   * nothing is stored then, and the next look decides.
   */
  async function settle(
    of: DiskRecord,
    change: Parameters<DiskRepo['change']>[3],
    tell?: (disk: DiskRecord) => Entry[],
  ): Promise<DiskRecord | null> {
    const isStill = (current: DiskRecord) => isSameDiskRequest(of, current)
    const record = await repo.change(of.disk.id, clock.now(), isStill, change, tell)
    if (record) await announce(record)
    return record
  }

  async function act(
    record: DiskRecord,
    step: DiskStep,
    { reason, sizeBytes }: { reason: string | null; sizeBytes: number | null },
  ): Promise<Again> {
    const { id } = record.disk
    const { vmId } = record.facts
    switch (step) {
      case 'rest':
        return 'when-kicked'
      case 'make':
        // A copy of a VM is asked for together with the snapshot that it is made of.
        if (await repo.isSourceComing(record)) return { afterMs: sourcePollMs }
        if (record.upload) {
          const again = await awaitFile(record, record.upload)
          if (again) return again
        }
        make(record, 0)
        return 'when-kicked'
      case 'take':
        return take(record)
      case 'abort':
        jobs.abort(id)
        return 'when-kicked'
      case 'delete':
        if (!(await isRemoved(record))) return { afterMs: busyPollMs }
        await dropFile(record)
        await repo.remove(id, clock.now())
        jobs.forget(id)
        return 'when-kicked'
      case 'clear':
        await engine.deleteVolume(id)
        await dropFile(record)
        jobs.forget(id)
        if (record.ownerVmId !== null) wakeVm(record.ownerVmId)
        return 'when-kicked'
      case 'wait':
        await say(
          record,
          `The data of this disk cannot be read at the moment. ${reason} Slipway tries again every minute.`,
        )
        return { afterMs: waitMs }
      case 'found':
        await settle(record, { status: vmId === null ? 'available' : 'attached', status_message: null })
        return 'now'
      case 'lose':
        log.warn({ disk: id }, 'the volume of a disk is lost or damaged')
        await settle(record, { status: 'error', status_message: lostMessage })
        return 'now'
      case 'plug':
      case 'unplug':
      case 'grow':
        moves.start(record, step, 0)
        return 'when-kicked'
      case 'take-move':
        return takeMove(record, sizeBytes)
      case 'note-size':
        if (sizeBytes !== null) await noteSize(record, sizeBytes)
        return 'now'
      case 'free':
        await settle(record, { detaching: 0 })
        return 'now'
    }
  }

  /**
   * Removes a volume; false while a guest still has it. The VM goes as well, and its guest takes a moment to end: only when that
   * lasts is it a failure.
   */
  async function isRemoved({ disk: { id, status_since } }: DiskRecord): Promise<boolean> {
    try {
      await engine.deleteVolume(id)
      return true
    } catch (error) {
      const isBusy = error instanceof EngineError && error.code === 'volume-busy'
      if (!isBusy || clock.now() - Date.parse(status_since) > busyPatienceMs) throw error
      log.debug({ disk: id }, 'a disk that is deleted waits for the guest that has it')
      return false
    }
  }

  /** What to do about a file of which something is missing; null when it is whole. */
  async function awaitFile(
    { disk: { id } }: DiskRecord,
    { received, bytes, lastReceivedAt }: NonNullable<DiskRecord['upload']>,
  ): Promise<Again | null> {
    const leftMs = Date.parse(lastReceivedAt) + uploads.hours * hourMs - clock.now()
    const isReceived = received >= bytes
    if (leftMs <= 0 && !isReceived && uploads.isClockTrusted()) {
      await fail(id, uploadExpired(uploads.hours))
      return 'when-kicked'
    }
    // The scan looks at it again, until the last piece kicks.
    if (!isReceived) return 'when-kicked'
    if (await uploads.isWhole(id, bytes)) return null
    await fail(id, `${uploadTexts.gone} Delete this disk and upload the file again.`)
    return 'when-kicked'
  }

  async function dropFile({ disk: { id }, origin }: DiskRecord): Promise<void> {
    if (origin.source === 'UPLOAD') await uploads.remove(id)
  }

  async function say(record: DiskRecord, message: string): Promise<void> {
    if (record.disk.status_message !== message) await settle(record, { status_message: message })
  }

  async function takeMove(record: DiskRecord, sizeBytes: number | null): Promise<Again> {
    const { id } = record.disk
    // Kept until it is stored: when that fails, the next look finds it again.
    const outcome = jobs.peek<Move>(id)
    if (!outcome) return 'now'
    if (!outcome.ok) return retryMove(record, outcome)
    const move = outcome.value
    // Meanwhile the VM may have gone, and the disk to another one: then this is no news.
    let isStored = true
    if (move.step === 'grow') {
      // Also when its user has taken the wish back since: it has that size.
      const isLarger = sizeBytes !== null && sizeBytes > record.sizeBytes
      isStored = !isLarger || (await noteSize(record, sizeBytes))
    } else if (move.vmId === record.facts.vmId) {
      const stored = await (move.step === 'plug'
        ? settle(record, { plugged: 1, status_message: null })
        : unplugged(record, move.answer))
      isStored = stored !== null
    }
    if (isStored) jobs.forget(id)
    return 'now'
  }

  async function retryMove(record: DiskRecord, { error, aborted, failures }: Failure): Promise<Again> {
    const { id } = record.disk
    const step = planDisk(record.facts, 'whole', 'none')
    jobs.take(id)
    if (aborted || !isMove(step)) return 'now'
    if (step === 'grow' && error instanceof EngineError && !error.retryable) {
      await giveUpSize(record, error.message)
      return 'now'
    }
    const retryInMs = backoffMs(failures)
    log.warn({ disk: id, step, failures, retryInMs, err: error }, 'a disk could not be changed')
    await settle(record, { status_message: retryText(error, retryInMs) })
    moves.start(record, step, retryInMs)
    return 'when-kicked'
  }

  /** A larger one that was wished for meanwhile is still to come. */
  async function noteSize(of: DiskRecord, sizeBytes: number): Promise<boolean> {
    const record = await settle(
      of,
      ({ nextSizeBytes }): DiskChange => ({
        size_bytes: sizeBytes,
        next_size_bytes: nextSizeBytes !== null && nextSizeBytes > sizeBytes ? nextSizeBytes : null,
        status_message: null,
      }),
      (disk) => [grown(disk, clock.now())],
    )
    // Its VM shows the sizes of its disks.
    if (record && record.facts.vmId !== null) await announceVm(record.facts.vmId)
    return record !== null
  }

  /** It keeps the size that it has. */
  async function giveUpSize(of: DiskRecord, why: string): Promise<void> {
    const change = { next_size_bytes: null, status_message: null }
    await settle(of, change, (disk) => [notGrown(disk, why, clock.now())])
  }

  async function unplugged(of: DiskRecord, answer: 'released' | 'kept'): Promise<DiskRecord | null> {
    let isWished = false
    const record = await settle(
      of,
      (disk): DiskChange => {
        isWished = disk.facts.detaching
        if (answer === 'kept') return { detaching: 0 }
        // The user was told that it stays: it goes back.
        if (!isWished) return { plugged: 0 }
        const free = { detaching: 0, vm_id: null, plugged: 0, owner_vm_id: null } as const
        return { ...free, ...(disk.facts.status === 'attached' && { status: 'available' }) }
      },
      (disk) => (answer === 'kept' && isWished ? [notReleased(disk, clock.now())] : []),
    )
    if (record && of.facts.vmId !== null) await announceVm(of.facts.vmId)
    return record
  }

  function make(record: DiskRecord, delayMs: number): void {
    const { id, name } = record.disk
    const { projectId, ownerId, sizeBytes } = record
    // Without a project there is only the wish to delete it.
    if (projectId === null) return
    const source = sourceOf(record, uploads.pathOf(id))
    jobs.start<VolumeMade>({
      id,
      kind: kindOf(source),
      subject: { action: 'disk.create', type: 'disk', id, name, projectId, ownerId },
      delayMs,
      run: (work) => engine.createVolume({ id, projectId, source, sizeBytes }, work),
      onProgress: () => inBackground(log, 'telling how far a disk is', tellOf(id)),
      onSettled: () => kick(id),
    })
  }

  async function tellOf(id: string): Promise<void> {
    const record = await repo.find(id)
    if (record) await announce(record)
  }

  async function take(record: DiskRecord): Promise<Again> {
    const { id } = record.disk
    // Kept until it is stored: when that fails, the next look finds it again.
    const outcome = jobs.peek<VolumeMade>(id)
    if (!outcome) return 'now'
    if (outcome.ok) {
      await finish(record, outcome.value)
      jobs.forget(id)
      return 'when-kicked'
    }
    return takeFailure(record, outcome)
  }

  async function finish(record: DiskRecord, made: VolumeMade): Promise<void> {
    const owner = record.ownerVmId
    await settle(record, {
      // The VM it is made for has not started yet: it finds the disk when it does.
      ...(owner === null ? { status: 'available' } : { status: 'attached', vm_id: owner, plugged: 1 }),
      status_message: null,
      size_bytes: made.sizeBytes,
      image_sha256: made.sha256,
    })
    // Not before it is stored: until then the disk may have to be made of it again.
    await dropFile(record)
    if (owner !== null) {
      await announceVm(owner)
      wakeVm(owner)
    }
  }

  async function takeFailure(record: DiskRecord, { error, aborted, failures }: Failure): Promise<Again> {
    const { id } = record.disk
    log.warn({ disk: id, failures, err: error }, 'a disk could not be created')
    if (aborted) {
      // Nobody cancelled the disk, else it would not be `creating`: begin again.
      jobs.take(id)
      return 'now'
    }
    const isFinal = error instanceof EngineError && !error.retryable
    const isAway = error instanceof EngineError && error.code === 'away'
    // What was uploaded is not thrown away for want of room, which may be there tomorrow.
    const waits = isAway || (isFull(error) && isInTime(record))
    if (!isFinal && (waits || failures < triesToMake)) {
      const retryInMs = backoffMs(failures)
      await settle(record, { status_message: retryText(error, retryInMs) })
      jobs.take(id)
      make(record, retryInMs)
      return 'when-kicked'
    }
    await fail(id, isFinal ? messageOf(error) : `${messageOf(error)} Delete this disk and create it again.`)
    jobs.forget(id)
    const { snapshot_id } = record.origin
    if (snapshot_id !== null && !isFull(error)) suspectSnapshot(snapshot_id)
    return 'when-kicked'
  }

  const isFull = (error: unknown) => error instanceof EngineError && error.code === 'no-space'
  const isInTime = ({ upload }: DiskRecord) =>
    upload !== null && Date.parse(upload.lastReceivedAt) + uploads.hours * hourMs > clock.now()

  async function fail(id: string, message: string): Promise<void> {
    // What was begun must not lie around for an object that nobody can use.
    await engine.deleteVolume(id)
    const failed = { status: 'failed', status_message: message }
    const record = await repo.change(id, clock.now(), ['creating'], failed)
    if (!record) return
    await dropFile(record)
    await announce(record)
    if (record.ownerVmId !== null) wakeVm(record.ownerVmId)
  }

  /** Shows on the disk why a step keeps failing. */
  async function showFailure(id: string, error: unknown, _: number, retryInMs: number): Promise<void> {
    const record = await repo.find(id)
    if (record && record.facts.status !== 'deleting' && record.facts.status !== 'failed')
      await settle(record, { status_message: retryText(error, retryInMs) })
  }

  /** What needs a look: everything that is not at rest, and disks whose volume is gone or is there again. */
  async function scan(): Promise<string[]> {
    const [records, volumes] = await Promise.all([repo.all(), engine.listVolumes()])
    const present = new Set(volumes)
    const volumeOf = (id: string): DiskVolume => (present.has(id) ? 'whole' : 'absent')
    return records
      .filter(
        ({ disk: { id }, facts }) =>
          planDisk(facts, volumeOf(id), workOn(id)) !== 'rest' || moves.isStale(id, facts),
      )
      .map(({ disk }) => disk.id)
  }

  return { look, scan, showFailure }
}

const lostMessage =
  'The data of this disk is missing or damaged on the host. Create a new disk from one of its snapshots.'
