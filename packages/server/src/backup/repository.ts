/**
 * Backups in a repository of restic. One backup is several of restic's snapshots, one for each part that was on the host
 * at a time, and last the one with `backup.json`: a backup without that is none.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { makeRestic, type OutsidePlace, ResticError } from './restic.ts'
import { type Keep, toForget } from './retention.ts'

const minute = 60_000
/** How long a store may take to answer, to be silent while it takes, and in all. */
const usualLimits = { answerMs: minute, silentMs: 15 * minute, longestMs: 72 * 60 * minute }
const idsAtOnce = 200

const tags = { ours: 'slipway', backup: 'backup=', complete: 'complete', facts: 'facts=' } as const

const snapshotsOf = z.array(
  z.object({
    id: z.string().regex(/^[0-9a-f]{64}$/),
    time: z.string(),
    hostname: z.string().default(''),
    tags: z.array(z.string()).default([]),
  }),
)
const factsOf = z.tuple([z.string(), z.coerce.number(), z.coerce.number(), z.coerce.number()])
/** A line of `backup --json`; there are others. */
const said = z
  .string()
  .transform((line, ctx): unknown => {
    try {
      return JSON.parse(line)
    } catch {
      ctx.addIssue({ code: 'custom', message: 'not JSON' })
      return z.NEVER
    }
  })
  .pipe(z.object({ bytes_done: z.number().optional(), data_added: z.number().optional() }))

/** A backup that is complete. */
export interface KeptBackup {
  id: string
  madeAt: string
  /** The data directory that it was made of. */
  home: string
  bytes: number
  files: number
  leftOut: number
  /** restic's snapshots, the one with `backup.json` last. */
  snapshots: string[]
}

/** What is put in, and what that made the repository grow by. */
export interface Putting {
  id: string
  home: string
  signal: AbortSignal
}

export type Repository = ReturnType<typeof makeRepository>

/** An id that sorts by time. */
export const newBackupId = (at: Date): string =>
  `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${randomBytes(3).toString('hex')}`

/** `dataDir` keeps what restic remembers of the repository, which makes it faster; null to keep nothing. */
export function makeRepository(place: OutsidePlace, dataDir: string | null, limits = usualLimits) {
  const restic = makeRestic(place, dataDir)
  const answerEnough = { timeoutMs: limits.answerMs }

  /** Throws a {@link ResticError} unless there is a repository that the password opens. Leaves it as it is. */
  async function reach(signal: AbortSignal): Promise<void> {
    await restic(['cat', 'config', '--no-lock'], { signal, ...answerEnough })
  }

  async function all(signal: AbortSignal) {
    const printed = await restic(['snapshots', '--json', '--no-lock', '--tag', tags.ours], {
      signal,
      timeoutMs: 5 * minute,
    })
    return snapshotsOf.parse(JSON.parse(printed.trim() || '[]') ?? [])
  }
  const backupOf = (of: readonly string[]) =>
    of.find((tag) => tag.startsWith(tags.backup))?.slice(tags.backup.length) ?? ''

  /** Backups by their ids: those that are complete, oldest first, and the snapshots of others. */
  async function read(
    signal: AbortSignal,
  ): Promise<{ complete: KeptBackup[]; halves: { home: string; snapshot: string }[] }> {
    const parts = Map.groupBy(await all(signal), (one) => backupOf(one.tags))
    const complete: KeptBackup[] = []
    const halves: { home: string; snapshot: string }[] = []
    for (const [id, snapshots] of parts) {
      const last = snapshots.find((one) => one.tags.includes(tags.complete))
      const text = last?.tags.find((tag) => tag.startsWith(tags.facts))?.slice(tags.facts.length) ?? ''
      const facts = factsOf.safeParse(text.split('/'))
      if (!last || !facts.success) {
        for (const one of snapshots) halves.push({ home: one.hostname, snapshot: one.id })
        continue
      }
      const [madeAt, bytes, files, leftOut] = facts.data
      complete.push({
        id,
        madeAt,
        home: last.hostname,
        bytes,
        files,
        leftOut,
        snapshots: [...snapshots.filter((one) => one !== last).map((one) => one.id), last.id],
      })
    }
    return { complete: complete.sort((a, b) => a.id.localeCompare(b.id)), halves }
  }

  async function put(
    dir: string,
    { id, home, signal }: Putting,
    more: string[],
    onBytes?: (done: number) => void,
  ): Promise<number> {
    let added = 0
    const given = [tags.ours, `${tags.backup}${id}`, ...more].flatMap((tag) => ['--tag', tag])
    // `--force`: a part is not compared with the part before, which is of other objects.
    await restic(['backup', '--json', '--force', '--host', home, ...given, '.'], {
      signal,
      cwd: dir,
      timeoutMs: limits.longestMs,
      silentMs: limits.silentMs,
      onLine(line) {
        const told = said.safeParse(line)
        if (!told.success) return
        added = told.data.data_added ?? added
        if (told.data.bytes_done !== undefined) onBytes?.(told.data.bytes_done)
      },
    })
    return added
  }

  return {
    /** Creates the repository where there is none. Throws when there is one, or nobody can tell. */
    async create(signal: AbortSignal): Promise<void> {
      await restic(['init'], { signal, ...answerEnough })
    },

    reach,

    /** As {@link reach}; also removes locks of the dead. */
    async open(signal: AbortSignal): Promise<void> {
      await reach(signal)
      // Only those whose process on this host has ended, or that nobody has renewed for half an hour.
      await restic(['unlock'], { signal, timeoutMs: 5 * minute })
    },

    /** Complete backups, oldest first. */
    list: async (signal: AbortSignal): Promise<KeptBackup[]> => (await read(signal)).complete,

    /** Puts what lies in a directory into a backup; returns by how many bytes the repository grew. */
    add: (dir: string, putting: Putting, onBytes?: (done: number) => void) => put(dir, putting, [], onBytes),

    /** Puts `backup.json` in, which makes it a backup. */
    complete: (
      dir: string,
      putting: Putting,
      facts: Pick<KeptBackup, 'madeAt' | 'bytes' | 'files' | 'leftOut'>,
    ) =>
      put(dir, putting, [
        tags.complete,
        `${tags.facts}${facts.madeAt}/${facts.bytes}/${facts.files}/${facts.leftOut}`,
      ]),

    /** Writes a snapshot of restic into a directory. */
    async fetch(snapshot: string, dir: string, bytes: number, signal: AbortSignal): Promise<void> {
      // It prints nothing on its way, so it may take as long as at a mebibyte a second.
      const timeoutMs = 15 * minute + (bytes / 1024 ** 2) * 1000
      await restic(['restore', snapshot, '--target', dir, '--no-lock'], {
        signal,
        timeoutMs: Math.min(timeoutMs, limits.longestMs),
      })
    },

    /** Whether what is listed is there; with `data` everything is read. Throws when something is damaged. */
    async check({ data, signal }: { data: boolean; signal: AbortSignal }): Promise<void> {
      await restic(['check', ...(data ? ['--read-data'] : [])], { signal, timeoutMs: limits.longestMs })
    },

    /**
     * Removes backups of a data directory that no rule keeps, and halves of it that are not `current`. Returns how many
     * backups it removed.
     */
    async thinOut({
      home,
      current,
      keep,
      signal,
    }: {
      home: string
      current: string
      keep: Keep
      signal: AbortSignal
    }): Promise<number> {
      const { complete, halves } = await read(signal)
      const own = complete.filter((one) => one.home === home)
      if (!own.some(({ id }) => id === current))
        throw new ResticError('damaged', `The backup ${current} is not in the repository after it was made.`)
      const old = toForget(own, keep)
      const dead = halves.filter((one) => one.home === home)
      // Those with `backup.json` go first: what is left of a backup then counts as none, whenever this ends.
      const heads = old.flatMap((one) => one.snapshots.slice(-1))
      const others = [...old.flatMap((one) => one.snapshots.slice(0, -1)), ...dead.map((one) => one.snapshot)]
      for (const ids of [heads, others])
        for (let at = 0; at < ids.length; at += idsAtOnce)
          await restic(['forget', ...ids.slice(at, at + idsAtOnce)], { signal, timeoutMs: limits.longestMs })
      if (heads.length + others.length > 0) await restic(['prune'], { signal, timeoutMs: limits.longestMs })
      return old.length
    },
  }
}
