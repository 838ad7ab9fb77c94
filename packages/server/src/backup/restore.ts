import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { isEmptyDatabase, takeRows } from '../db/kept-rows.ts'
import type { DatabasePlace } from '../db/open.ts'
import type { Engine } from '../engine/engine.ts'
import { flush } from '../lib/flush.ts'
import { copyWhole } from '../lib/whole-copy.ts'
import { bytesOf, everythingBelow, foldersBelow, namesIn, requireRoomIn } from './files.ts'
import { DATA, type Manifest, ROWS, readManifest } from './manifest.ts'
import { verifyBackup } from './verify.ts'

/** In a data directory from before the first file of a restore until after the last. */
const UNFINISHED = 'restore-not-complete'
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

/**
 * Restores a backup into an empty data directory and an empty database, which the caller owns. All of it is read before
 * anything is written. Throws an error that says what is wrong, and leaves both empty.
 */
export async function restoreBackup(
  dir: string,
  { dataDir, database, engine }: { dataDir: string; database: DatabasePlace; engine: Engine['kind'] },
  signal: AbortSignal,
): Promise<Manifest> {
  const manifest = await readManifest(dir)
  if (manifest.engine !== engine)
    throw new Error(`The backup was made with SLIPWAY_ENGINE=${manifest.engine}. Set it to that.`)
  await requireEmptyPlaces(dataDir, database)
  await verifyBackup(dir, manifest, signal)
  const files = manifest.files.map((file) => file.path).filter((name) => name.startsWith(`${DATA}/`))
  await requireRoomIn(
    dataDir,
    await bytesOf(
      dir,
      manifest.files.map((file) => file.path),
    ),
  )
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await mark(dataDir)
  try {
    for (const name of files) {
      const to = path.join(dataDir, path.relative(DATA, name))
      await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
      await copyWhole(path.join(dir, name), to, signal)
    }
    for (const folder of await foldersBelow(dataDir)) await flush(folder)
    signal.throwIfAborted()
    await takeInto(database, path.join(dir, ROWS), manifest)
  } catch (error) {
    await clear(dataDir)
    throw error
  }
  await unmark(dataDir)
  return manifest
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
