/** Backups outside the host: the same content, put into a repository part by part, so that the host needs little room. */
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Work } from '../engine/engine.ts'
import { directoryId } from '../lib/directory-id.ts'
import type { Log } from '../lib/log.ts'
import { nextBackupAt, type Schedule, tooOldMs } from './due.ts'
import { bytesOf, filesBelow, requireRoomIn } from './files.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import { makeOutcomes } from './outcomes.ts'
import { makeRepository, newBackupId, type Putting, type Repository } from './repository.ts'
import type { OutsidePlace } from './restic.ts'
import type { Keep } from './retention.ts'
import { collect, type Installation, listFiles, requireAble } from './write.ts'

/** In the data directory: what is on its way into a repository. */
const STAGING = 'backup-staging'
/** So much is copied before it is put into the repository; one object may be more. */
const usualPartBytes = 1024 ** 3
const lookEveryMs = 5_000

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

/** Where an installation keeps its backups outside the host, and when it makes them. */
export type OutsideSettings = OutsidePlace & { keep: Keep; schedule: Schedule }

/** Makes backups of an installation in the repository of its settings: by hand, and when they are due. */
export function makeOutside(
  installation: Installation,
  { keep, schedule, ...place }: OutsideSettings,
  log: Pick<Log, 'warn' | 'info'>,
) {
  const { dataDir } = installation
  const repository = makeRepository(place, dataDir)
  const outcomes = makeOutcomes(dataDir)
  const startedAt = Date.now()

  const make = (work: Work): Promise<OutsideResult> =>
    outcomes.record(
      () => writeOutside(installation, repository, keep, work),
      ({ id, manifest, addedBytes }) => ({
        id,
        bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
        added_bytes: addedBytes,
        left_out: manifest.left_out.length,
      }),
    )

  async function state() {
    const found = await outcomes.read()
    const dueAt = nextBackupAt(schedule, {
      startedAt,
      goodAt: found.good && Date.parse(found.good.at),
      failedAt: found.failure && Date.parse(found.failure.at),
    })
    return {
      repository: place.repository,
      schedule: scheduleText(schedule),
      running_since: found.begun_at,
      next_at: dueAt === null ? null : new Date(dueAt).toISOString(),
      last_good: found.good,
      last_failure: found.failure,
      too_old_ms: schedule && tooOldMs(schedule),
    }
  }

  /** Makes backups when they are due, while `drives` says so. Returns the way to end that, and the one under way. */
  function keepDoing(drives: () => boolean): () => Promise<void> {
    const ends = new AbortController()
    let underWay: Promise<void> = Promise.resolve()
    async function look(): Promise<void> {
      if (!drives() || outcomes.isRunning()) return
      const { next_at } = await state()
      if (next_at === null || Date.parse(next_at) > Date.now()) return
      const { id, addedBytes } = await make({ signal: ends.signal, onProgress: () => {} })
      log.info({ id, addedBytes }, 'A backup was made in the repository')
    }
    let isLooking = false
    const timer = setInterval(() => {
      if (isLooking) return
      isLooking = true
      underWay = look()
        .catch((error: unknown) => log.warn({ err: error }, 'A scheduled backup could not be made'))
        .finally(() => {
          isLooking = false
        })
    }, lookEveryMs)
    return async () => {
      clearInterval(timer)
      ends.abort(new Error('The server was stopped before the backup was complete.'))
      await underWay
    }
  }

  return { make, state, keepDoing }
}

const scheduleText = (schedule: Schedule): string | null => {
  if (schedule === null) return null
  if ('everyHours' in schedule)
    return schedule.everyHours === 1 ? 'Every hour' : `Every ${schedule.everyHours} hours`
  const [hours, minutes] = [Math.floor(schedule.atMinute / 60), schedule.atMinute % 60]
  return `Daily at ${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')} UTC`
}
