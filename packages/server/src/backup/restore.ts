import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isEmptyDatabase, takeRows } from '../db/kept-rows.ts'
import type { DatabasePlace } from '../db/open.ts'
import type { Engine } from '../engine/engine.ts'
import { errorCode, run } from '../lib/command.ts'
import { flush } from '../lib/flush.ts'
import { copyWhole } from '../lib/whole-copy.ts'
import { bytesOf, everythingBelow, foldersBelow, namesIn, requireRoomIn } from './files.ts'
import { DATA, type Manifest, ROWS, readManifest } from './manifest.ts'
import type { KeptBackup, Repository } from './repository.ts'
import { verifyBackup } from './verify.ts'

/** In a data directory from before the first file of a restore until after the last. */
const UNFINISHED = 'restore-not-complete'
/** In a data directory while a backup from outside the host is fetched into it. */
const ARRIVING = 'restore-staging'
/** Of the program that restores. */
const locks = /^server\.lock/

/** Throws a sentence when a data directory holds half a restore. */
export function requireComplete(dataDir: string): void {
  if (!existsSync(path.join(dataDir, UNFINISHED))) return
  throw new Error(
    `A restore into ${dataDir} did not come to its end, so it is not complete. Remove everything in ${dataDir}, then restore again.`,
  )
}

/** Throws a sentence unless there is nothing that a restore would mix with. */
export async function requireEmptyPlaces(dataDir: string, database: DatabasePlace): Promise<void> {
  requireComplete(dataDir)
  const [first] = await holdings(dataDir)
  if (first !== undefined)
    throw new Error(
      `The data directory ${dataDir} is not empty (it has ${first}). Set SLIPWAY_DATA_DIR to an empty directory.`,
    )
  if (!(await isEmptyDatabase(database)))
    throw new Error(
      'The database that SLIPWAY_DATABASE_URL names is not empty. Create another database and set SLIPWAY_DATABASE_URL to it.',
    )
}

export interface RestoreTarget {
  dataDir: string
  database: DatabasePlace
  engine: Engine['kind']
}

/**
 * Restores a backup into an empty data directory and an empty database, which the caller owns. All of it is read before
 * anything is written. Throws an error that says what is wrong, and leaves both empty.
 */
export async function restoreBackup(
  dir: string,
  target: RestoreTarget,
  signal: AbortSignal,
): Promise<Manifest> {
  const { dataDir, database } = target
  const manifest = await readManifest(dir)
  requireSameEngine(manifest, target)
  await requireEmptyPlaces(dataDir, database)
  await verifyBackup(dir, manifest, signal)
  await requireRoomIn(dataDir, await bytesOf(dir, namesOf(manifest)))
  return intoPlaces(target, async () => {
    await putInto(dataDir, manifest, (name, to) => copyWhole(path.join(dir, name), to, signal))
    signal.throwIfAborted()
    await takeInto(database, path.join(dir, ROWS), manifest)
    return manifest
  })
}

/**
 * The same of a backup outside the host. It is fetched into the data directory, read as a whole, and moved to its places, so
 * that there is no need of room for it twice.
 */
export async function restoreOutside(
  repository: Pick<Repository, 'fetch'>,
  backup: KeptBackup,
  target: RestoreTarget,
  signal: AbortSignal,
): Promise<Manifest> {
  const { dataDir, database } = target
  const dir = path.join(dataDir, ARRIVING)
  await requireEmptyPlaces(dataDir, database)
  await requireRoomIn(dataDir, backup.bytes)
  return intoPlaces(target, async () => {
    await mkdir(dir, { mode: 0o700 })
    for (const snapshot of [...backup.snapshots].reverse()) {
      await repository.fetch(snapshot, dir, backup.bytes, signal)
      requireSameEngine(await readManifest(dir), target)
    }
    const manifest = await readManifest(dir)
    await verifyBackup(dir, manifest, signal)
    await putInto(dataDir, manifest, (name, to) => move(path.join(dir, name), to, signal))
    signal.throwIfAborted()
    await takeInto(database, path.join(dir, ROWS), manifest)
    await rm(dir, { recursive: true })
    return manifest
  })
}

const namesOf = ({ files }: Manifest) => files.map((file) => file.path)

function requireSameEngine(manifest: Manifest, { engine }: RestoreTarget): void {
  if (manifest.engine !== engine)
    throw new Error(`The backup was made with SLIPWAY_ENGINE=${manifest.engine}. Set it to that.`)
}

/** Marks the data directory until `restore` is done, and empties it when that fails. */
async function intoPlaces({ dataDir }: RestoreTarget, restore: () => Promise<Manifest>): Promise<Manifest> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await mark(dataDir)
  const manifest = await restore().catch(async (error: unknown) => {
    await clear(dataDir)
    throw error
  })
  await unmark(dataDir)
  return manifest
}

async function putInto(
  dataDir: string,
  manifest: Manifest,
  put: (name: string, to: string) => Promise<void>,
): Promise<void> {
  for (const name of namesOf(manifest)) {
    if (!name.startsWith(`${DATA}/`)) continue
    const to = path.join(dataDir, path.relative(DATA, name))
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
    await put(name, to)
  }
  for (const folder of await foldersBelow(dataDir)) await flush(folder)
}

/** Moves a file, over file systems too, and makes it ours: restic gives it to whom it was of. */
async function move(from: string, to: string, signal: AbortSignal): Promise<void> {
  // Other systems may know nobody of that number.
  if (process.getuid && process.getgid) await chown(from, process.getuid(), process.getgid())
  await chmod(from, (await stat(from)).mode & 0o600)
  // restic 0.14 writes holes out. A file system that cannot have any keeps them so.
  await run('fallocate', ['--dig-holes', '--', from], { signal }).catch(() => {})
  signal.throwIfAborted()
  try {
    await rename(from, to)
    await flush(to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await copyWhole(from, to, signal)
    await rm(from)
  }
}

/** A file of SQLite appears as a whole; PostgreSQL commits as a whole. */
async function takeInto(database: DatabasePlace, rows: string, manifest: Manifest): Promise<void> {
  if ('url' in database) return takeRows(database, rows, manifest)
  const part = `${database.file}.restored`
  try {
    await takeRows({ file: part }, rows, manifest)
  } catch (error) {
    for (const end of ['', '-wal', '-shm']) await rm(`${part}${end}`, { force: true })
    throw error
  }
  await flush(part)
  await rename(part, database.file)
  await flush(path.dirname(database.file))
}

/** What lies in a data directory but locks, and folders, which may be mounts of their own. */
async function holdings(dataDir: string): Promise<string[]> {
  const entries = (await namesIn(dataDir)) === null ? [] : await everythingBelow(dataDir)
  return entries.filter((name) => !locks.test(name) && name !== UNFINISHED)
}

/** Removes what was restored so far. Where that is not possible the mark stays. */
async function clear(dataDir: string): Promise<void> {
  for (const name of (await namesIn(dataDir)) ?? []) {
    if (locks.test(name) || name === UNFINISHED) continue
    // A folder that is a mount is emptied, and stays.
    await rm(path.join(dataDir, name), { recursive: true, force: true }).catch(() => {})
  }
  if ((await holdings(dataDir)).length === 0) await unmark(dataDir)
}

async function mark(dataDir: string): Promise<void> {
  const file = await open(path.join(dataDir, UNFINISHED), 'wx', 0o600)
  await file.sync().finally(() => file.close())
  await flush(dataDir)
}

async function unmark(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, UNFINISHED), { force: true })
  await flush(dataDir)
}
