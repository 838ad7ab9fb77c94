import {
  fileTooLargeText,
  gibibyte,
  type Limits,
  noRoomFor,
  type Parsed,
  type Upload,
  unlessLimited,
  type uploadApi,
  uploadCodes,
  uploadLimits,
  uploadStateOf,
  uploadTexts,
  wrongOffset,
} from '@slipway/contract'
import type { DiskService } from '../disk/disk.service.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import { Problem, refuse, refuseForNow, require422 } from '../lib/problem.ts'
import { PieceError, type UploadFiles } from './upload.files.ts'
import type { UploadRepo } from './upload.repo.ts'
import { toUpload, type UploadRecord } from './upload.state.ts'

/** A piece of which nothing came for so long has lost its sender: another one may take its place. */
const silentMs = 5_000
/** How fast a piece has to arrive, looked at over a span: a slow one holds a place that others wait for. */
export const leastSpeed = { bytesPerS: 4 * 1024, overMs: 10_000 }
/** How often those who watch a disk are told how far its file is. */
const tellEveryMs = 1_000

export type UploadService = ReturnType<typeof makeUploadService>

export interface UploadServiceOptions {
  repo: UploadRepo
  files: UploadFiles
  /** The places for pieces that are received, by account. */
  places: Pick<FairQueue, 'take'>
  disks: Pick<DiskService, 'createForUpload' | 'discard' | 'notice'>
  cannot: Limits
  clock: Clock
  /** What a file may have, in GiB. */
  maxFileGb: number
  /** How long an upload waits for its next byte. */
  hours: number
}

export interface Piece {
  bytes: AsyncIterable<Buffer>
  /** What its sender says it has; null: nothing. */
  announcedBytes: number | null
  /** Ends the connection that it comes over. */
  stop: () => void
  /** Aborts when its sender has gone. */
  signal: AbortSignal
}

interface UnderWay {
  lastByteAt: number
  bytes: number
  abort: AbortController
  ended: Promise<void>
  end: () => void
}

/**
 * Files that become disks. The row of the disk is there from the beginning, so its name and its room in quotas are taken;
 * what has arrived is in a file beside the database, and counts once the database says so.
 */
export function makeUploadService(options: UploadServiceOptions) {
  const { repo, files, places, disks, cannot, clock, maxFileGb, hours } = options
  const underWay = new Map<string, UnderWay>()
  const toldAt = new Map<string, number>()

  const wire = (record: UploadRecord) => toUpload(record, hours)

  async function require(projectId: string, id: string): Promise<UploadRecord> {
    const record = await repo.find(id)
    if (record === null || record.projectId !== projectId || record.diskStatus === 'deleting')
      throw new Problem(404, uploadTexts.notFound)
    return record
  }

  /** Refuses a file for which there is no room, beside those that are still coming and the disk that is made of it. */
  async function requireRoom(fileBytes: number): Promise<void> {
    const free = Math.max(0, (await files.room()) - (await repo.bytesToCome()))
    const needed = 2 * fileBytes
    if (needed <= free) return
    const text = noRoomFor(inWords(needed), inWords(free))
    throw new Problem(409, text, { file_bytes: text })
  }

  /** Waits for the sender before, where that one has gone away; refuses where it has not. */
  async function takeTurn(id: string, { stop }: Piece): Promise<UnderWay> {
    const other = underWay.get(id)
    if (other) {
      if (clock.now() - other.lastByteAt < silentMs) throw coded(uploadCodes.busy, uploadTexts.busy)
      other.abort.abort()
      await other.ended
      if (underWay.has(id)) throw coded(uploadCodes.busy, uploadTexts.busy)
    }
    // With nothing awaited in between: two windows may send at the same moment.
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const end = () => {
      underWay.delete(id)
      resolve()
    }
    const turn = { lastByteAt: clock.now(), bytes: 0, abort: new AbortController(), ended, end }
    turn.abort.signal.addEventListener('abort', () => {
      // A refusal is to reach its sender.
      if (!(turn.abort.signal.reason instanceof Problem)) stop()
    })
    underWay.set(id, turn)
    return turn
  }

  /** Ends a piece that arrives too slowly; returns the way to stop looking. */
  function requireSpeed(turn: UnderWay): () => void {
    let cancel = () => {}
    const look = (before: number) => {
      cancel = clock.after(leastSpeed.overMs, () => {
        if (turn.bytes - before < (leastSpeed.bytesPerS * leastSpeed.overMs) / 1000)
          turn.abort.abort(tooSlow())
        else look(turn.bytes)
      })
    }
    look(0)
    return () => cancel()
  }

  async function receive(record: UploadRecord, offset: number, piece: Piece, turn: UnderWay): Promise<void> {
    const { diskId: id, file_bytes } = record
    const most = Math.min(uploadLimits.pieceBytes, file_bytes - offset)
    try {
      // Before anything is written.
      if (piece.announcedBytes !== null && piece.announcedBytes > most) throw new PieceError('too-large')
      const bytes = await files.write(id, offset, untilAborted(piece.bytes, turn.abort.signal), {
        most,
        signal: turn.abort.signal,
        onBytes(count) {
          turn.lastByteAt = clock.now()
          turn.bytes += count
        },
      })
      if (piece.announcedBytes !== null && bytes !== piece.announcedBytes) throw new PieceError('broken')
      if (!(await repo.advance(id, offset, offset + bytes, isoTime(clock.now())))) {
        // Cancelled meanwhile: the file was made anew after it had been removed.
        if (!(await repo.needed([id])).has(id)) await files.remove(id)
        throw new Problem(409, uploadTexts.over)
      }
    } catch (error) {
      if (error instanceof Problem) throw error
      if (turn.abort.signal.aborted) throw whyEnded(turn)
      if (!(error instanceof PieceError)) throw await problemOf(error)
      if (error.why === 'gone') {
        await repo.restart(id)
        throw coded(uploadCodes.offset, uploadTexts.gone)
      }
      if (error.why === 'full') throw refuseForNow(503, uploadTexts.full, 30)
      if (error.why === 'empty') throw new Problem(400, uploadTexts.pieceEmpty)
      if (error.why === 'broken') throw new Problem(400, uploadTexts.pieceBroken)
      throw most < uploadLimits.pieceBytes
        ? new Problem(400, uploadTexts.pastTheEnd)
        : new Problem(413, uploadTexts.pieceTooLarge)
    }
  }

  async function tell(record: UploadRecord, isComplete: boolean): Promise<void> {
    const { diskId: id } = record
    const now = clock.now()
    if (!isComplete && now - (toldAt.get(id) ?? 0) < tellEveryMs) return
    if (isComplete) toldAt.delete(id)
    else toldAt.set(id, now)
    // The reconciler looks at it too: when it is complete there is work.
    await disks.notice([id])
  }

  return {
    async list(projectId: string): Promise<Upload[]> {
      return (await repo.underWay(projectId)).map(wire)
    },

    get: async (projectId: string, id: string): Promise<Upload> => wire(await require(projectId, id)),

    async create(
      userId: string,
      projectId: string,
      { name, size, description, ...file }: Parsed<typeof uploadApi.create>['body'],
    ): Promise<Upload> {
      require422(unlessLimited(cannot.disk_files))
      if (file.file_bytes > maxFileGb * gibibyte)
        throw refuse('file_bytes', fileTooLargeText(inWords(maxFileGb * gibibyte)))
      await requireRoom(file.file_bytes)
      const id = await disks.createForUpload(
        userId,
        projectId,
        { name, size, description, fileName: file.file_name, fileBytes: file.file_bytes },
        async (tx) => {
          if ((await repo.countReceiving(projectId, tx)) >= uploadLimits.perProject)
            throw new Problem(409, uploadTexts.tooMany)
        },
        (tx, diskId) =>
          repo.insert(tx, {
            disk_id: diskId,
            file_name: file.file_name,
            file_bytes: file.file_bytes,
            received_bytes: 0,
            file_mark: file.file_mark ?? null,
            file_modified_at: file.file_modified_at ?? null,
            sha256: file.sha256 ?? null,
            last_received_at: isoTime(clock.now()),
          }),
      )
      return wire(await require(projectId, id))
    },

    /** Stores a piece; answers when it is durable. One that was stored before is taken as sent. */
    async send(userId: string, projectId: string, id: string, offset: number, piece: Piece): Promise<Upload> {
      // Whose upload it is comes first: nobody else may find out about it, or get in its way.
      await require(projectId, id)
      const turn = await takeTurn(id, piece)
      let giveBack = () => {}
      let stopWatching = () => {}
      try {
        giveBack = await places.take(userId, AbortSignal.any([piece.signal, turn.abort.signal]))
        stopWatching = requireSpeed(turn)
        const record = await require(projectId, id)
        const state = uploadStateOf(record.diskStatus, record)
        const { received_bytes: received, file_bytes } = record
        const isStored = piece.announcedBytes !== null && offset + piece.announcedBytes <= received
        if (offset < received && isStored && state !== 'failed') return wire(record)
        if (state === 'checking') throw new Problem(409, uploadTexts.complete)
        if (state !== 'receiving') throw new Problem(409, uploadTexts.over)
        if (offset !== received) throw coded(uploadCodes.offset, wrongOffset(received))
        await receive(record, offset, piece, turn)
        const after = await require(projectId, id)
        await tell(after, after.received_bytes === file_bytes)
        return wire(after)
      } finally {
        stopWatching()
        giveBack()
        turn.end()
      }
    },

    async cancel(userId: string, projectId: string, id: string): Promise<void> {
      await require(projectId, id)
      if (!(await disks.discard(userId, projectId, id, 'upload.cancel')))
        throw new Problem(409, uploadTexts.over)
      underWay.get(id)?.abort.abort()
      toldAt.delete(id)
    },

    /** Removes files of disks that need them no more, as a server leaves them that ends at the wrong moment. */
    async sweep(): Promise<void> {
      // In this order: a file that is listed had its row before.
      const names = await files.list()
      const needed = await repo.needed(names)
      for (const name of names) if (!needed.has(name)) await files.remove(name)
    },
  }
}

/** Bytes as they come; ends at once when it is aborted, also while none come. */
async function* untilAborted(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  aborted.catch(() => {})
  const iterator = bytes[Symbol.asyncIterator]()
  try {
    signal.throwIfAborted()
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const tooSlow = () => new Problem(408, uploadTexts.tooSlow)

/** Another sender took the place of this one, unless it was ended for another reason. */
function whyEnded({ abort }: UnderWay): Problem {
  const { reason } = abort.signal
  return reason instanceof Problem ? reason : coded(uploadCodes.busy, uploadTexts.busy)
}

function coded(code: string, text: string): Problem {
  const problem = new Problem(409, text)
  problem.code = code
  return problem
}

/** What the system says of a full disk; a sender that went away is nobody's fault here. */
async function problemOf(error: unknown): Promise<unknown> {
  const { code } = error as { code?: string }
  if (code === 'ENOSPC' || code === 'EDQUOT') return refuseForNow(503, uploadTexts.full, 30)
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new Problem(400, uploadTexts.pieceBroken)
  return error
}

function inWords(bytes: number): string {
  const gib = bytes / gibibyte
  return gib >= 1 ? `${Math.round(gib * 10) / 10} GB` : `${Math.ceil(bytes / 1024 ** 2)} MB`
}
