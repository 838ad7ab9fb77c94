import type { Log } from '../../lib/log.ts'
import { type Engine, EngineError, type Work } from '../engine.ts'
import { withStorageDaemon } from './block-host.ts'
import { addNode } from './block-jobs.ts'
import { ROOT_NODE, volumeNode } from './command-line.ts'
import { memoryOf, momentOf } from './copy-moment.ts'
import { asEngineError } from './failure.ts'
import { type Guest, isGone } from './guest.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { fileNames, isMachineId, type MachineDirs, requireId } from './machine-dir.ts'
import { type MachineSnapshots, openAtRest, ROOT, type SourceDisk } from './machine-snapshots.ts'
import { madeOf, type Restore, restoreOf } from './restore.ts'
import type { Suspension } from './suspension.ts'
import type { Turns } from './turns.ts'
import { chainOn, type VolumeSnapshots } from './volume-snapshots.ts'
import type { Volumes } from './volumes.ts'

type CopyCalls =
  | 'createVolume'
  | 'createMachineSnapshot'
  | 'prepareRestore'
  | 'switchDisks'
  | 'dropRestore'
  | 'deleteMachineSnapshot'
  | 'createVolumeSnapshot'
  | 'deleteVolumeSnapshot'
  | 'checkSnapshot'

/**
 * Copies whole disks, into volumes, into snapshots and back, and says who waits for whom meanwhile. How many copies
 * run at a time is decided by whoever calls.
 */
export function makeCopies(deps: {
  dirs: MachineDirs
  volumes: Volumes
  snapshots: MachineSnapshots
  volumeSnapshots: VolumeSnapshots
  restore: Restore
  guests: Guests
  suspension: Pick<Suspension, 'holds'>
  /** Where storage daemons run. */
  daemonsDir: string
  log: Log
  host: () => HostFacts
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, CopyCalls> {
  const { dirs, volumes, snapshots, volumeSnapshots, restore, guests, suspension, daemonsDir, log, host } =
    deps
  const { inTurn, inDiskTurn } = deps

  /** Runs long work and says of its failure what the port says: ended on request, its guest gone, or what it was. */
  async function long<T>(
    work: Work,
    what: string,
    task: () => Promise<T>,
    lost?: () => Promise<boolean>,
  ): Promise<T> {
    try {
      work.signal.throwIfAborted()
      return await task()
    } catch (error) {
      if (work.signal.aborted) throw new EngineError('aborted', `${what}: it was ended.`, { cause: error })
      if (await lost?.()) {
        throw new EngineError('snapshot-lost', `${what}: the VM stopped before the copy was complete.`, {
          cause: error,
          retryable: true,
        })
      }
      log.warn({ error }, what)
      throw asEngineError(error, what)
    }
  }

  return {
    async createVolume({ id, source, sizeBytes }, work) {
      requireId(id)
      const read =
        source.from === 'volume-snapshot'
          ? [await volumeSnapshots.chainOf(source.snapshotId)]
          : source.from === 'machine-snapshot'
            ? [source.snapshotId]
            : []
      return long(work, 'The disk could not be created', () =>
        inDiskTurn([id, ...read], () => volumes.create(id, source, sizeBytes, work)),
      )
    },

    async createMachineSnapshot(snapshotId, source, work) {
      requireId(snapshotId)
      const { machineId, volumeIds } = source
      let guest: Guest | null = null
      return long(
        work,
        'The snapshot could not be created',
        () =>
          inDiskTurn([snapshotId, machineId, ...volumeIds], async () => {
            const there = await snapshots.read(snapshotId)
            if (there) return madeOf(there)
            const record = await dirs.requireRecord(machineId)
            guest = await inTurn(machineId, () => guests.of(machineId))
            const living: Guest | null = guest
            const places = living?.volumes() ?? record.volumes
            const disks: SourceDisk[] = [
              { name: ROOT, path: dirs.fileOf(machineId, fileNames.root), node: ROOT_NODE },
              ...places
                .filter(({ id }) => volumeIds.includes(id))
                .map(({ id, port }) => ({ name: id, path: volumes.pathOf(id), node: volumeNode(port) })),
            ]
            const manifest = await snapshots.take(
              snapshotId,
              {
                imageId: record.spec.imageId,
                image: record.image,
                disks,
                moment: momentOf(living, record.restored?.memory != null),
                memory:
                  source.memory && living
                    ? await memoryOf(living, record, work, {
                        host: host(),
                        directory: dirs.pathOf(machineId),
                      })
                    : null,
                within: (copy) =>
                  living
                    ? copy(living.host)
                    : withStorageDaemon(daemonsDir, async (daemon) => {
                        await openAtRest(daemon, disks)
                        return copy(daemon)
                      }),
              },
              work,
            )
            return madeOf(manifest)
          }),
        () => isGone(machineId, guest),
      )
    },

    async prepareRestore(machineId, source, work) {
      requireId(machineId)
      await long(work, 'The snapshot could not be restored', () =>
        inDiskTurn([restoreOf(machineId), source.snapshotId], async () => {
          await dirs.requireRecord(machineId)
          await restore.prepare(machineId, source, work)
        }),
      )
    },

    async switchDisks(machineId, safetyId, work) {
      requireId(safetyId)
      requireId(machineId)
      const touched = await restore.volumeIds(machineId)
      return long(work, 'The snapshot could not be restored', () =>
        inDiskTurn([machineId, restoreOf(machineId), safetyId, ...touched], () =>
          inTurn(machineId, async () => {
            work.signal.throwIfAborted()
            if (await guests.of(machineId)) {
              throw new EngineError('internal', 'The VM is still running.', { retryable: true })
            }
            return restore.swap(machineId, safetyId)
          }),
        ),
      )
    },

    async dropRestore(machineId) {
      if (!isMachineId(machineId)) return 'dropped'
      return inDiskTurn(restoreOf(machineId), () => restore.drop(machineId))
    },

    async deleteMachineSnapshot(snapshotId) {
      requireId(snapshotId)
      await inDiskTurn(snapshotId, () => snapshots.remove(snapshotId))
    },

    async createVolumeSnapshot(snapshotId, { volumeId, parentId }, work) {
      requireId(snapshotId)
      requireId(volumeId)
      let holder = guests.holderOf(volumeId)
      let guest: Guest | null = null
      const take = () =>
        inDiskTurn([volumeId, chainOn(volumeId), ...(holder === null ? [] : [holder])], async () => {
          if (guests.holderOf(volumeId) !== holder) return null
          guest = holder === null ? null : await guests.of(holder)
          const living: Guest | null = guest
          const path = volumes.pathOf(volumeId)
          const port = living?.volumes().find(({ id }) => id === volumeId)?.port
          const node = port === undefined ? 'volume' : volumeNode(port)
          if ((await volumes.inspect(volumeId)).state === 'absent') {
            throw new EngineError('volume-missing', 'The disk does not exist on the host.')
          }
          return volumeSnapshots.take(
            snapshotId,
            {
              volumeId,
              parentId,
              path,
              node,
              moment: momentOf(living, living === null && (await suspension.holds(volumeId))),
              within: (copy) =>
                living
                  ? copy(living.host)
                  : withStorageDaemon(daemonsDir, async (daemon) => {
                      await addNode(daemon.qmp, { node, filename: path, readOnly: false })
                      return copy(daemon)
                    }),
            },
            work,
          )
        })
      return long(
        work,
        'The snapshot could not be created',
        async () => {
          // Attached or detached while it waited for its turn: another turn is the right one then.
          for (;;) {
            const made = await take()
            if (made) return made
            holder = guests.holderOf(volumeId)
          }
        },
        async () => holder !== null && (await isGone(holder, guest)),
      )
    },

    async checkSnapshot(kind, snapshotId, work) {
      if (!isMachineId(snapshotId)) return { state: 'absent' }
      return long(work, 'The snapshot could not be checked', async () =>
        kind === 'machine'
          ? inDiskTurn(snapshotId, () => snapshots.check(snapshotId, work.signal))
          : inDiskTurn(await volumeSnapshots.chainOf(snapshotId), () =>
              volumeSnapshots.check(snapshotId, work.signal),
            ),
      )
    },

    async deleteVolumeSnapshot(snapshotId, work) {
      requireId(snapshotId)
      await long(work, 'The snapshot could not be deleted', async () =>
        inDiskTurn(await volumeSnapshots.chainOf(snapshotId), () => volumeSnapshots.remove(snapshotId, work)),
      )
    },
  }
}
