import { lstat, mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { isEmptyDatabase, writeRows } from '../db/kept-rows.ts'
import type { DatabasePlace } from '../db/open.ts'
import type { Engine, SavingWork, Work } from '../engine/engine.ts'
import { flush } from '../lib/flush.ts'
import { copyWhole, sha256Of } from '../lib/whole-copy.ts'
import { makeBelongings } from './belongings.ts'
import { bytesOf, filesBelow, foldersBelow, namesIn, requireRoomIn } from './files.ts'
import { DATA, keptFiles, type Manifest, ROWS, writeManifest } from './manifest.ts'
import { verifyBackup } from './verify.ts'

/** What a backup is made of. */
export interface Installation {
  dataDir: string
  database: DatabasePlace
  engine: Engine
}

/**
 * Writes a backup into a directory that is absent or empty, and reads it back. Everybody may go on reading and
 * writing. Throws a sentence, and leaves nothing, when it cannot be complete; objects that cannot be copied are named
 * in it.
 */
export async function writeBackup(
  { dataDir, database, engine }: Installation,
  dir: string,
  work: Work,
): Promise<Manifest> {
  const { signal } = work
  await requireAble({ dataDir, database, engine })
  await requireEmpty(dir, dataDir)
  await requireRoomIn(dir, await bytesOf(dataDir, (await namesIn(dataDir)) ? await filesBelow(dataDir) : []))
  const wasThere = (await namesIn(dir)) !== null
  await mkdir(dir, { recursive: true, mode: 0o700 })
  try {
    const facts = await collect({ dataDir, database, engine }, dir, work)
    for (const folder of await foldersBelow(dir)) await flush(folder)
    const manifest: Manifest = { ...facts, files: await listFiles(dir, signal) }
    await verifyBackup(dir, manifest, signal)
    signal.throwIfAborted()
    await writeManifest(dir, manifest)
    await flush(path.dirname(dir))
    return manifest
  } catch (error) {
    for (const name of wasThere ? ((await namesIn(dir)) ?? []) : [''])
      await rm(path.join(dir, name), { recursive: true, force: true })
    throw error
  }
}

/**
 * Writes what belongs to a backup into an empty directory: the rows of one moment, then the files. During `onSaved` of
 * `work`, files that lie there may be taken away. Returns what `backup.json` says of it beside its files.
 */
export async function collect(
  { dataDir, database, engine }: Installation,
  dir: string,
  work: SavingWork,
): Promise<Omit<Manifest, 'files'>> {
  const [rows, data] = [path.join(dir, ROWS), path.join(dir, DATA)]
  const made_at = new Date().toISOString()
  const belongings = makeBelongings()
  const kept = await writeRows(database, rows, belongings.see)
  work.signal.throwIfAborted()
  await mkdir(data, { mode: 0o700 })
  const left = await engine.saveTo(data, belongings.ids, work)
  const there = (await namesIn(dataDir)) ?? []
  for (const name of keptFiles)
    if (there.includes(name)) await copyWhole(path.join(dataDir, name), path.join(data, name), work.signal)
  return {
    format: 1,
    slipway: await versionHere(),
    made_at,
    engine: engine.kind,
    database: 'url' in database ? 'PostgreSQL' : 'SQLite',
    ...kept,
    left_out: belongings.lost(left),
  }
}

/** Throws a sentence when there is nothing to back up, or the engine cannot. */
export async function requireAble({ engine, database }: Installation): Promise<void> {
  const { backups } = engine.capabilities.cannot
  if (backups !== null) throw new Error(backups)
  if (await isEmptyDatabase(database)) throw new Error('The database is empty: there is nothing to back up.')
}

async function requireEmpty(dir: string, dataDir: string): Promise<void> {
  const inside = path.relative(dataDir, dir)
  if (!inside.startsWith('..') && !path.isAbsolute(inside))
    throw new Error(`${dir} lies in the data directory. Choose a directory on another disk.`)
  if (((await namesIn(dir)) ?? []).length > 0)
    throw new Error(`${dir} is not empty. Choose a directory that is empty or does not exist.`)
}

/** What lies in a directory, as a manifest names it. */
export async function listFiles(dir: string, signal: AbortSignal): Promise<Manifest['files']> {
  const names = await filesBelow(dir)
  const sums = await sha256Of(
    names.map((name) => path.join(dir, name)),
    signal,
  )
  return Promise.all(
    names.map(async (name, index) => ({
      path: name,
      bytes: (await lstat(path.join(dir, name))).size,
      sha256: sums[index] ?? '',
    })),
  )
}

async function versionHere(): Promise<string> {
  const text = await readFile(path.join(import.meta.dirname, '../../package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  return version
}
