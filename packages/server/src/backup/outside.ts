/** Backups outside the host: the same content, put into a repository part by part, so that the host needs little room. */
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Work } from '../engine/engine.ts'
import { directoryId } from '../lib/directory-id.ts'
import { bytesOf, filesBelow, requireRoomIn } from './files.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import { makeRepository, newBackupId, type Putting, type Repository } from './repository.ts'
import type { OutsidePlace } from './restic.ts'
import type { Keep } from './retention.plan.ts'
import { collect, type Installation, listFiles, requireAble } from './write.ts'

/** In the data directory: what is on its way into a repository. */
const STAGING = 'backup-staging'
/** So much is copied before it is put into the repository; one object may be more. */
const usualPartBytes = 1024 ** 3

export interface OutsideResult {
  id: string
  manifest: Manifest
  /** By how much the repository grew. */
  addedBytes: number
  /** Backups that were too old to be kept. */
  removed: number
}

/** Removes what a backup left that was killed. */
export const clearStaging = (dataDir: string): Promise<void> =>
  rm(path.join(dataDir, STAGING), { recursive: true, force: true })

/**
 * Puts a backup into a repository, checks that all of it is there, and removes backups that are too old. Throws a sentence
 * when it cannot; nothing that was put in counts as a backup then.
 */
export async function writeOutside(
  installation: Installation,
  repository: Repository,
  keep: Keep,
  work: Work,
  partBytes = usualPartBytes,
): Promise<OutsideResult> {
  const { dataDir } = installation
  const { signal } = work
  await requireAble(installation)
  await repository.open(signal)
  await clearStaging(dataDir)
  await requireRoomIn(dataDir, partBytes)
  const dir = path.join(dataDir, STAGING)
  await mkdir(dir, { mode: 0o700 })
  const putting: Putting = { id: newBackupId(new Date()), home: await directoryId(dataDir), signal }
  const files: Manifest['files'] = []
  let addedBytes = 0

  async function put(): Promise<void> {
    const part = await listFiles(dir, signal)
    if (part.length === 0) return
    addedBytes += await repository.add(dir, putting)
    files.push(...part)
    for (const { path: name } of part) await rm(path.join(dir, name))
  }

  try {
    const facts = await collect(installation, dir, {
      ...work,
      async onSaved() {
        if ((await bytesOf(dir, await filesBelow(dir))) >= partBytes) await put()
      },
    })
    await put()
    signal.throwIfAborted()
    await rm(dir, { recursive: true })
    await mkdir(dir, { mode: 0o700 })
    const manifest: Manifest = { ...facts, files }
    await writeManifest(dir, manifest)
    addedBytes += await repository.complete(dir, putting, {
      madeAt: manifest.made_at,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      files: files.length,
      leftOut: manifest.left_out.length,
    })
    await repository.check({ data: false, signal })
    const removed = await repository.thinOut({ home: putting.home, current: putting.id, keep, signal })
    return { id: putting.id, manifest, addedBytes, removed }
  } finally {
    await clearStaging(dataDir)
  }
}

/** What makes backups of an installation in the repository of its settings. */
export function makeOutside(installation: Installation, { keep, ...place }: OutsidePlace & { keep: Keep }) {
  const repository = makeRepository(place, installation.dataDir)
  return (work: Work): Promise<OutsideResult> => writeOutside(installation, repository, keep, work)
}
