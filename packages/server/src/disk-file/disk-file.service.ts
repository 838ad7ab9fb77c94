import { type Limits, unlessLimited } from '@slipway/contract'
import { entry, type Subject, wish } from '../activity/entry.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { DiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import type { Clock } from '../lib/clock.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import { require422 } from '../lib/problem.ts'
import type { DiskFileRepo } from './disk-file.repo.ts'

/** A file to send; `tag` is the same for the same bytes, null where a broken transfer cannot be continued. */
export interface SentFile {
  name: string
  bytes: number
  tag: string | null
  read: (from: number, to: number) => AsyncIterable<Buffer>
  /** To be called once, however the transfer ends. */
  close: () => Promise<void>
}

interface Work {
  signal: AbortSignal
  onProgress: (fraction: number | null) => void
}

type Open = (of: { volumeId: string } | { snapshotId: string }, work: Work) => Promise<Omit<SentFile, 'name'>>

export interface DiskFileServiceOptions {
  repo: DiskFileRepo
  /** The places for downloads, by account. */
  places: Pick<FairQueue, 'take'>
  disks: Pick<DiskService, 'requireReadable'>
  diskSnapshots: Pick<DiskSnapshotService, 'requireReadable'>
  /** Opens what the engine has. */
  open: Open
  cannot: Limits
  clock: Clock
}

export interface Reader {
  userId: string
  signal: AbortSignal
}

export type DiskFileService = ReturnType<typeof makeDiskFileService>

/** Disks and their snapshots as files. */
export function makeDiskFileService({
  repo,
  places,
  disks,
  diskSnapshots,
  open,
  cannot,
  clock,
}: DiskFileServiceOptions) {
  async function send(
    of: Parameters<Open>[0],
    { userId, signal }: Reader,
    subject: Subject,
    what: { action: 'disk.download' | 'diskSnapshot.download'; message: string },
  ): Promise<SentFile> {
    const giveBack = await places.take(userId, signal)
    try {
      const file = await open(of, { signal, onProgress: () => {} })
      const close = () => file.close().finally(giveBack)
      try {
        signal.throwIfAborted()
        await repo.note(entry(clock.now(), subject, wish(userId, what.action, what.message)))
      } catch (error) {
        await close()
        throw error
      }
      return { ...file, name: `${subject.name}.qcow2`, close }
    } catch (error) {
      giveBack()
      throw error
    }
  }

  return {
    /** A disk that is on no VM. */
    async ofDisk(projectId: string, diskId: string, reader: Reader): Promise<SentFile> {
      require422(unlessLimited(cannot.disk_files))
      const { id, name } = await disks.requireReadable(projectId, diskId)
      const message = `Download of disk ${name} requested`
      const subject = { type: 'disk', id, name, projectId } as const
      return send({ volumeId: id }, reader, subject, { action: 'disk.download', message })
    },

    async ofSnapshot(projectId: string, snapshotId: string, reader: Reader): Promise<SentFile> {
      require422(unlessLimited(cannot.disk_files))
      const { id, name } = await diskSnapshots.requireReadable(projectId, snapshotId)
      const message = `Download of disk snapshot ${name} requested`
      const subject = { type: 'disk_snapshot', id, name, projectId } as const
      return send({ snapshotId: id }, reader, subject, { action: 'diskSnapshot.download', message })
    },
  }
}
