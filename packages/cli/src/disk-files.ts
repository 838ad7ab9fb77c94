/** `slipway disk upload`, and `slipway disk download` into a file. */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@slipway/client'
import type { Upload } from '@slipway/contract'
import {
  fileMark,
  firstPieceBytes,
  isSameFile,
  nextPieceBytes,
  uploadCodes,
  uploadLimits,
  uploadPauseMs,
} from '@slipway/contract/upload.rules.ts'
import { parseArguments } from './arguments.ts'
import type { Flag } from './commands.ts'
import { Failure, failureOf } from './failure.ts'
import { pick } from './names.ts'
import { note, print } from './output.ts'
import { isId, openSession, type Session } from './session.ts'
import { settingsOf } from './settings.ts'

const pieceTimeoutMs = 60_000
/** Failures in a row after which somebody has to look: with the pauses between them some ten minutes. */
const mostFailures = 25
const settleEveryMs = 1_000

const flag = (name: string): Flag => ({ name, where: 'body', required: false, schema: { type: 'string' } })
const uploadFlags = ['name', 'size', 'description'].map(flag)
const uploadUsage = 'Usage: slipway disk upload FILE [--name NAME] [--size SIZE] [--description TEXT]'

/** `slipway disk upload FILE`: creates a disk from a file, or goes on with one that was interrupted. */
export async function uploadDisk(words: readonly string[]): Promise<void> {
  const { positions, values, common } = parseArguments(words, uploadFlags)
  const [path, ...others] = positions
  if (path === undefined || others.length > 0 || common.help) throw new Failure('usage', uploadUsage)
  const session = openSession(settingsOf(common.project))
  const projectId = await session.projectId()
  const file = await openFile(path)
  try {
    const known = await describe(file, path)
    const name = String(
      values.get('name') ?? known.file_name.replace(/(\.(qcow2|img|raw|iso|vmdk|gz|xz|zst))+$/i, ''),
    )
    const size = String(values.get('size') ?? '1GB')
    const description = String(values.get('description') ?? '')
    const upload =
      (await interrupted(session, projectId, name, known)) ??
      (await session.ask('upload.create', {
        params: { projectId },
        body: { name, size, description, ...known },
        idempotencyKey: randomUUID(),
      }))
    await sendFile(session, upload, file)
    const done = await settled(session, upload)
    print(common.json ? JSON.stringify(done) : `Disk ${done.name} is available: ${done.id}`)
  } finally {
    await file.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  return open(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure('usage', `${path} could not be opened: ${error.code ?? error.message}.`)
  })
}

/** What the server is told of a file, its checksum included. */
async function describe(file: FileHandle, path: string) {
  const { size, mtime } = await file.stat()
  const start = Buffer.alloc(Math.min(size, uploadLimits.markBytes))
  await file.read(start, 0, start.length, 0)
  const hash = createHash('sha256')
  const stream: ReadStream = createReadStream(path)
  for await (const chunk of stream) hash.update(chunk)
  return {
    file_name: basename(path),
    file_bytes: size,
    file_mark: fileMark(start),
    file_modified_at: mtime.toISOString(),
    sha256: hash.digest('hex'),
  }
}

/** An upload of the same file for a disk of that name, which was interrupted. */
async function interrupted(
  session: Session,
  projectId: string,
  name: string,
  known: Awaited<ReturnType<typeof describe>>,
): Promise<Upload | null> {
  const uploads = await session.ask('upload.list', { params: { projectId } })
  const same = uploads.find(
    (one) => one.name === name && one.state === 'receiving' && isSameFile(one, known) === true,
  )
  if (same) note(`Continuing at ${percent(same.received_bytes, same.file_bytes)}.`)
  return same ?? null
}

async function sendFile(session: Session, upload: Upload, file: FileHandle): Promise<void> {
  const params = { projectId: upload.project_id, uploadId: upload.id }
  const buffer = Buffer.alloc(uploadLimits.pieceBytes)
  let at = upload.received_bytes
  let size: number = firstPieceBytes
  let failures = 0
  while (at < upload.file_bytes) {
    try {
      const { bytesRead } = await file.read(buffer, 0, Math.min(size, upload.file_bytes - at), at)
      if (bytesRead === 0) throw new Failure('failed', 'The file has become shorter while it was uploaded.')
      const began = performance.now()
      const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, bytesRead)
      const after = await session.client.call('upload.send', {
        params,
        query: { offset: at },
        bytes,
        timeoutMs: pieceTimeoutMs,
      })
      at = after.received_bytes
      failures = 0
      size = nextPieceBytes(size, performance.now() - began)
      progress(at, upload.file_bytes)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failures += 1
      if (!isWorthATry(error) || failures > mostFailures) throw failureOf(error, session.server)
      size = nextPieceBytes(size, Number.POSITIVE_INFINITY)
      if (error.code !== uploadCodes.offset) {
        note(
          `${error.message || 'The connection was lost.'} Trying again in ${uploadPauseMs(failures) / 1000} s.`,
        )
        await sleep(uploadPauseMs(failures))
      }
      // Where it continues, once the server answers again.
      at = await session.client.call('upload.get', { params }).then(
        ({ received_bytes }) => received_bytes,
        () => at,
      )
    }
  }
}

const isWorthATry = ({ status, code }: ApiError): boolean =>
  status === null ||
  status >= 500 ||
  status === 408 ||
  status === 429 ||
  code === uploadCodes.offset ||
  code === uploadCodes.busy

async function settled(session: Session, { id, project_id: projectId }: Upload): Promise<Upload> {
  for (;;) {
    const now = await session.ask('upload.get', { params: { projectId, uploadId: id } })
    if (now.state === 'completed') return now
    if (now.state === 'failed')
      throw new Failure('failed', `Disk ${now.name} could not be created. ${now.status_message ?? ''}`.trim())
    await sleep(settleEveryMs)
  }
}

const percent = (part: number, whole: number) => `${Math.floor((part / whole) * 100)}%`

/** On a terminal one line that is written over, elsewhere nothing. */
function progress(done: number, whole: number): void {
  if (!process.stderr.isTTY) return
  const mb = (bytes: number) => Math.round(bytes / 1024 ** 2)
  process.stderr.write(
    `\r${mb(done)} of ${mb(whole)} MB, ${percent(done, whole)}${done === whole ? '\n' : ''}`,
  )
}

/** Whether the words name a file beside the disk; without one it goes to standard output. */
export const namesFile = (words: readonly string[]): boolean => {
  const { positions, common } = parseArguments(words, [])
  return positions.length === 2 && !common.help
}

const downloads = {
  disk: { id: 'disk.download', list: 'disk.list', param: 'diskId', thing: 'disk' },
  'disk-snapshot': {
    id: 'diskSnapshot.download',
    list: 'diskSnapshot.list',
    param: 'diskSnapshotId',
    thing: 'disk snapshot',
  },
} as const

/** `slipway disk download DISK FILE`: appears whole or not at all; a transfer that breaks is continued. */
export async function downloadDisk(noun: keyof typeof downloads, words: readonly string[]): Promise<void> {
  const { positions, common } = parseArguments(words, [])
  const [text = '', path = ''] = positions
  const session = openSession(settingsOf(common.project))
  const projectId = await session.projectId()
  const { id, list, param, thing } = downloads[noun]
  const wanted = isId(text) ? text : pick(await session.list(list, { projectId }), text, thing)
  const params = { projectId, [param]: wanted }
  const part = `${path}.part`
  const file = await open(part, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('usage', `${path} could not be written: ${error.code ?? error.message}.`)
  })
  try {
    let [at, failures] = [0, 0]
    let tag: string | null = null
    for (let whole: number | null = null; whole === null || at < whole; ) {
      try {
        const headers: Record<string, string> =
          at > 0 && tag !== null ? { range: `bytes=${at}-`, 'if-range': tag } : {}
        // The parameters are those of whichever of both calls it is.
        const answer = await session.client.open(id, { params, headers } as never)
        if (answer.status !== 206) {
          at = 0
          await file.truncate(0)
          whole = Number(answer.headers.get('content-length'))
        }
        tag = answer.headers.get('etag')
        for await (const piece of answer.body ?? []) {
          for (let written = 0; written < piece.length; )
            written += (await file.write(piece, written, piece.length - written, at + written)).bytesWritten
          at += piece.length
          progress(at, whole ?? at)
          failures = 0
        }
      } catch (error) {
        if (error instanceof ApiError && !isWorthATry(error)) throw failureOf(error, session.server)
        const { code } = error as { code?: string }
        if (code === 'ENOSPC' || code === 'EDQUOT')
          throw new Failure('failed', `There is no space left for ${path}.`)
        failures += 1
        if (failures > mostFailures) throw new Failure('failed', 'The download breaks again and again.')
        note(`The connection was lost. Trying again in ${uploadPauseMs(failures) / 1000} s.`)
        await sleep(uploadPauseMs(failures))
      }
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
  print(`Saved ${path}`)
}
