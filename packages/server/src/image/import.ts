import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chown, link, lstat, mkdir, mkdtemp, open, readdir, rename, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'
import { BOOT_RECORD_BYTES, requireBootRecord } from './boot-record.ts'
import { download } from './download.ts'
import { makeSourcePolicy } from './download-policy.ts'
import { get, type Pace, usualPace } from './download-request.ts'
import { type ForeignLook, lookAtImage } from './foreign-look.ts'
import { readImageAddress, requirePinned } from './image-address.ts'
import { giveToBox, removeBoxed } from './import-box.ts'
import { hostIsFull, ImportError, otherChecksum } from './import-error.ts'
import { unpack } from './import-unpack.ts'
import { convertImage, inspectImage, readStart, WebPage } from './inspect-image.ts'
import { makeDisk } from './registry-disk.ts'
import { pull } from './registry-layout.ts'

export { ImportError } from './import-error.ts'

/** Where an image comes from: a file on the web (see `readImageAddress`), or an image in a container registry. */
export type ImageSource =
  | { from: 'url'; url: string }
  | { from: 'registry'; image: string }
  /** A file of this host, on the file system of the scratch directory; `sha256` is what it has to have, in hex. */
  | { from: 'file'; path: string; sha256: string | null }

export interface ImportWork {
  signal: AbortSignal
  /** 0 to 1, null while unknown. */
  onProgress: (fraction: number | null) => void
  /** Whether the disk is refused when no machine can start from it. */
  bootable?: boolean
}

export interface Imported {
  /** Of what was fetched, in hex: the file's bytes, or the registry's manifest. */
  sha256: string
  virtualBytes: number
}

/** What may be fetched, and from where. */
export interface FetchPolicy {
  /** What may be transferred, and what it may unpack to. */
  maxImageBytes: number
  /** How large a disk an image may promise. */
  maxVirtualBytes: number
  /** Host names, addresses or CIDR ranges that may be fetched from although they are private. */
  privateSources: string[]
}

export interface Importer {
  /**
   * Makes `target`, a qcow2 file that depends on no other and was checked. It appears complete or not at all.
   * Throws an {@link ImportError}, or the signal's reason when that was aborted.
   */
  import(source: ImageSource, target: string, work: ImportWork): Promise<Imported>
  /**
   * What a boot image at an address will be, as far as its first bytes and its server tell, within ten seconds. Throws
   * an ImportError for what an import would refuse, so far as that shows.
   */
  look(url: string, signal: AbortSignal): Promise<ForeignLook>
}

/** Room that must be left on the host while something is fetched, in bytes. */
const RESERVE_BYTES = 256 * 1024 * 1024

/** Whatever takes longer has gone wrong in a way nobody thought of. */
const MAX_MS = 12 * 3_600_000

/** The share of an import that is fetching; the rest is made of it here. */
const FETCHING = 0.9
/** The same for the checksum of a file that is here. */
const CHECKING = 0.5
/** Small enough that nobody else waits for it. */
const HASHED_AT_ONCE = 256 * 1024

/**
 * `scratchDir` is for what is under way, one directory for each import, and has to be on the file system of the
 * targets. `clearScratch` removes what a killed process left; call it before the first import.
 */
export function makeImporter({
  scratchDir,
  policy,
  log,
  pace = usualPace,
}: {
  scratchDir: string
  policy: FetchPolicy
  log: Log
  /** For tests, which cannot wait. */
  pace?: Pace
}): Importer & { clearScratch(): Promise<void> } {
  const sources = makeSourcePolicy(policy.privateSources)

  /** Fetches into `<dir>/image`. */
  async function fetch(source: ImageSource, dir: string, work: ImportWork): Promise<string> {
    const fetching = { policy: sources, signal: work.signal, pace }
    const path = join(dir, 'image')
    const limits = { maxBytes: policy.maxImageBytes, maxVirtualBytes: policy.maxVirtualBytes }
    if (source.from === 'registry') {
      const layout = { ...fetching, ...limits, dir: join(dir, 'layout'), image: source.image }
      const { digest } = await pull({ ...layout, onProgress: (done) => work.onProgress(done * FETCHING) })
      await makeDisk({ dir, layout: 'layout', name: 'image' }, { ...limits, signal: work.signal })
      return digest.slice('sha256:'.length)
    }
    const sha256 = source.from === 'file' ? await take(source, path, work) : await fetchFrom(source.url)
    await giveToBox(path)
    const unpacked = join(dir, 'unpacked')
    if (await unpack({ from: path, to: unpacked, maxBytes: limits.maxBytes, signal: work.signal })) {
      await rename(unpacked, path)
    }
    return sha256

    async function fetchFrom(url: string): Promise<string> {
      const address = readImageAddress(url)
      const { sha256 } = await download({
        ...fetching,
        ...limits,
        ask: (headers) => get(address.url, headers, fetching),
        path,
        onProgress: (received, total) =>
          work.onProgress(total === null ? null : Math.min(1, received / total) * FETCHING),
      })
      requirePinned(sha256, address)
      return sha256
    }
  }

  async function importInto(dir: string, source: ImageSource, target: string, work: ImportWork) {
    await giveToBox(dir)
    const sha256 = await fetch(source, dir, work)
    const image = join(dir, 'image')
    await giveToBox(dir)
    const limits = { maxVirtualBytes: policy.maxVirtualBytes, signal: work.signal }
    const { format } = await inspectImage(image, limits).catch((error: unknown) => {
      if (source.from !== 'file' || !(error instanceof WebPage)) throw error
      throw new ImportError('The file is a web page, not an image.')
    })
    await convertImage(image, format, 'disk', limits)
    // What was made passes the same inspection, which reads back its tables.
    const { virtualBytes } = await inspectImage(join(dir, 'disk'), limits)
    if (work.bootable) requireBootRecord(await readStart(join(dir, 'disk'), BOOT_RECORD_BYTES, limits))
    await takeOver(dir, target)
    work.onProgress(1)
    return { sha256, virtualBytes }
  }

  return {
    async import(source, target, { signal, onProgress, bootable = false }) {
      await mkdir(scratchDir, { recursive: true, mode: 0o700 })
      const dir = await mkdtemp(join(scratchDir, 'import-'))
      const room = watchRoom(scratchDir)
      const anyEnd = AbortSignal.any([signal, room.signal, AbortSignal.timeout(MAX_MS)])
      const startedAt = Date.now()
      try {
        const imported = await importInto(dir, source, target, {
          signal: anyEnd,
          onProgress: rarely(onProgress),
          bootable,
        })
        log.info({ ...imported, from: source.from, ms: Date.now() - startedAt }, 'An image was imported')
        return imported
      } catch (error) {
        signal.throwIfAborted()
        const failure = room.signal.aborted ? hostIsFull(error) : asImportError(error)
        // Not the address, which may carry a key in its query.
        const level = error instanceof ImportError ? 'info' : 'warn'
        log[level]({ from: source.from, err: failure }, 'An image could not be imported')
        throw failure
      } finally {
        room.stop()
        await removeBoxed(dir)
      }
    },
    look: (url, signal) => lookAtImage(url, { policy: sources, signal, pace, limits: policy }),
    async clearScratch() {
      const left = await readdir(scratchDir).catch(() => [])
      for (const name of left) await removeBoxed(join(scratchDir, name))
    },
  }
}

/**
 * Puts another name of a file into the scratch directory: the file itself stays, so that an import that is killed can begin
 * again. Its checksum is computed before anything else reads it.
 */
async function take(
  { path, sha256: wanted }: Extract<ImageSource, { from: 'file' }>,
  name: string,
  { signal, onProgress }: ImportWork,
): Promise<string> {
  await link(path, name)
  const { size } = await lstat(name)
  const hash = createHash('sha256')
  let read = 0
  for await (const chunk of createReadStream(name, { highWaterMark: HASHED_AT_ONCE, signal })) {
    hash.update(chunk)
    read += chunk.length
    onProgress((read / size) * CHECKING)
  }
  const sha256 = hash.digest('hex')
  if (wanted !== null && wanted !== sha256) throw otherChecksum(sha256, wanted)
  return sha256
}

/** Moves the finished disk out of the hands of the box to its place. */
async function takeOver(dir: string, target: string): Promise<void> {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  // From here on nothing but this process can change what stands in the directory.
  await chown(dir, uid, gid)
  const made = join(dir, 'disk')
  if (!(await lstat(made)).isFile()) throw new Error('The converted image is no file')
  const file = await open(made, 'r+')
  try {
    await file.chown(uid, gid)
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(made, target)
  const folder = await open(dirname(target))
  await folder.sync().finally(() => folder.close())
}

/** A signal that is aborted before the host's disk is full. */
function watchRoom(dir: string): { signal: AbortSignal; stop: () => void } {
  const full = new AbortController()
  const look = async () => {
    const { bavail, bsize } = await statfs(dir)
    if (bavail * bsize < RESERVE_BYTES) full.abort(hostIsFull())
  }
  // A look that fails says nothing about room; what is written next will.
  const timer = setInterval(() => void look().catch(() => {}), 500)
  return { signal: full.signal, stop: () => clearInterval(timer) }
}

/** Passes progress on when it changed by a hundredth. */
function rarely(onProgress: ImportWork['onProgress']): ImportWork['onProgress'] {
  let last: number | null = Number.NaN
  return (fraction) => {
    const now = fraction === null ? null : Math.floor(fraction * 100)
    if (now === last) return
    last = now
    onProgress(fraction)
  }
}

function asImportError(error: unknown): ImportError {
  if (error instanceof ImportError) return error
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new ImportError('The import took too long.', { retryable: true, cause: error })
  }
  if (errorCode(error) === 'ENOSPC') return hostIsFull(error)
  return new ImportError('The image could not be imported.', { retryable: true, cause: error })
}
