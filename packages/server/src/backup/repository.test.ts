// @module-tag full
/** What becomes of backups in a repository of restic when something goes wrong, with files in the place of an engine's. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshPlace, onPostgres } from '../db/database.test-kit.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { work } from '../engine/engine.test-kit.ts'
import type { Engine } from '../engine/engine.ts'
import { noLimits } from '../engine/limits.ts'
import { run } from '../lib/command.ts'
import { directoryForEach } from '../lib/directory.test-kit.ts'
import { filesBelow } from './files.ts'
import { directoryPlace, hasRestic, quickRepository } from './outside.test-kit.ts'
import { writeOutside } from './outside.ts'
import { makeRepository, type Repository } from './repository.ts'
import { troubleIn } from './restic.ts'
import { restoreOutside } from './restore.ts'
import type { Installation } from './write.ts'

const mebibyte = 1024 ** 2
const keep = { daily: 1, weekly: 0, monthly: 0 }
const s3 = { keyId: 'key', secret: 'secret', secretFile: null, region: null }
const at = directoryForEach()

/** Volumes that are plain files, 2 MiB each, which an engine copies one by one. */
const volumes = ['volumes/a.qcow2', 'volumes/b.qcow2', 'volumes/c.qcow2']
async function installation(onCopy: (name: string) => void = () => {}): Promise<Installation> {
  const [dataDir, database] = [at('first'), await freshPlace(at('first.sqlite'))]
  const db = openDatabase(database)
  await migrate(db, null)
  await db.destroy()
  await mkdir(path.join(dataDir, 'volumes'), { recursive: true })
  for (const name of volumes) await writeFile(path.join(dataDir, name), randomBytes(2 * mebibyte))
  await writeFile(path.join(dataDir, 'factor.key'), 'secret', { mode: 0o600 })
  const engine = {
    kind: 'qemu',
    capabilities: { cannot: noLimits },
    async saveTo(to, _objects, { onSaved }) {
      await mkdir(path.join(to, 'volumes'))
      for (const name of volumes) {
        onCopy(name)
        await writeFile(path.join(to, name), await readFile(path.join(dataDir, name)))
        await onSaved?.()
      }
      return new Map()
    },
    // As much of an engine as a backup asks.
  } satisfies Partial<Engine> | { capabilities: unknown } as unknown as Engine
  return { dataDir, database, engine }
}

async function place(password?: string) {
  const { SLIPWAY_BACKUP_REPOSITORY: repository = '', SLIPWAY_BACKUP_PASSWORD_FILE: passwordFile = '' } =
    await directoryPlace(at())
  if (password !== undefined) await writeFile(passwordFile, password)
  return { repository, passwordFile, s3: null }
}
const never = () => new AbortController().signal
async function openRepository() {
  const given = await place()
  await quickRepository(given.repository)
  return makeRepository(given, null)
}
/** Where a backup can be restored. */
const empty = async () => ({
  dataDir: at('second'),
  database: await freshPlace(at('second.sqlite')),
  engine: 'qemu' as const,
})
const idsIn = async (repository: Repository) => (await repository.list(never())).map(({ id }) => id)
const packs = async () => {
  const all = (await filesBelow(at('repository', 'data'))).map((name) => at('repository', 'data', name))
  const sizes = await Promise.all(all.map(async (file) => ({ file, size: (await stat(file)).size })))
  return sizes.sort((a, b) => b.size - a.size).map(({ file }) => file)
}

describe.skipIf(!hasRestic)('a backup in a repository', () => {
  it('is put there part by part, and restored with every byte', async () => {
    const first = await installation()
    const repository = await openRepository()
    const made = await writeOutside(first, repository, keep, work(), mebibyte)
    expect(made.addedBytes).toBeGreaterThan(6 * mebibyte)
    const [backup, ...others] = await repository.list(never())
    expect(others).toEqual([])
    expect(backup).toMatchObject({ id: made.id, bytes: expect.any(Number), leftOut: 0 })
    expect(backup?.snapshots.length).toBe(5)
    expect(await readdir(first.dataDir)).toEqual(expect.not.arrayContaining(['backup-staging']))
    const second = await empty()
    if (backup) await restoreOutside(repository, backup, second, never())
    for (const name of [...volumes, 'factor.key']) {
      const [restored, original] = [at('second', name), at('first', name)]
      expect((await readFile(restored)).equals(await readFile(original))).toBe(true)
    }
    expect((await stat(path.join(second.dataDir, 'factor.key'))).mode & 0o077).toBe(0)
    expect(await readdir(second.dataDir)).toEqual(['factor.key', 'volumes'])
  })
})

// What the repository does is the same for either database.
describe.skipIf(!hasRestic || onPostgres)('a backup in a repository of restic', () => {
  it('takes the place of an older one of the same day, and adds only what changed', async () => {
    const first = await installation()
    const repository = await openRepository()
    await writeOutside(first, repository, keep, work())
    const again = await writeOutside(first, repository, keep, work())
    expect(again).toMatchObject({ removed: 1 })
    expect(again.addedBytes).toBeLessThan(mebibyte)
    expect(await idsIn(repository)).toEqual([again.id])
  })

  it('that is ended half-way counts as none, and the next one removes it', async () => {
    const ends = new AbortController()
    const first = await installation((name) => name === volumes[2] && ends.abort(new Error('Ended.')))
    const repository = await openRepository()
    const half = writeOutside(first, repository, keep, { ...work(), signal: ends.signal }, mebibyte)
    await expect(half).rejects.toThrow()
    expect(await idsIn(repository)).toEqual([])
    expect(await readdir(at('repository', 'snapshots'))).toHaveLength(2)
    const whole = await writeOutside(await installation(), repository, keep, work())
    expect(await idsIn(repository)).toEqual([whole.id])
    expect(await readdir(at('repository', 'snapshots'))).toHaveLength(2)
  })

  it('is told from a repository that is missing, has another password, or that nobody may create twice', async () => {
    const first = await installation()
    const missing = makeRepository(await place(), null)
    await expect(writeOutside(first, missing, keep, work())).rejects.toThrow('--init')
    expect(await readdir(at())).not.toContain('repository')
    await missing.create(never())
    const wrong = makeRepository(await place('another'), null)
    await expect(writeOutside(first, wrong, keep, work())).rejects.toThrow('The password does not open')
    await expect(wrong.create(never())).rejects.toThrow('cannot be used')
    await expect(makeRepository(await place(''), null).open(never())).rejects.toThrow('is empty')
  })

  it('that is damaged is named, restored nowhere, and removes no other', async () => {
    const first = await installation()
    const repository = await openRepository()
    await writeOutside(first, repository, keep, work(), mebibyte)
    const [backup] = await repository.list(never())
    const [largest = ''] = await packs()
    const bytes = await readFile(largest)
    bytes[1000] = (bytes[1000] ?? 0) ^ 0xff
    await rm(largest)
    await writeFile(largest, bytes)
    await expect(repository.check({ data: true, signal: never() })).rejects.toThrow('is damaged')
    const second = await empty()
    if (!backup) throw new Error('There is no backup.')
    await expect(restoreOutside(repository, backup, second, never())).rejects.toThrow('is damaged')
    expect(await filesBelow(second.dataDir)).toEqual([])
    const shorter = bytes.subarray(0, 1000)
    await writeFile(largest, shorter)
    await expect(writeOutside(first, repository, keep, work())).rejects.toThrow('is damaged')
    expect(await idsIn(repository)).toContain(backup.id)
  })

  it.skipIf(process.getuid?.() !== 0)(
    'for which there is no room is named, counts as none, and is made when there is',
    async () => {
      const store = at('repository')
      await mkdir(store)
      await run('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'slipway-test', store], { timeoutMs: 10_000 })
      try {
        const [first, repository] = [await installation(), await openRepository()]
        await expect(writeOutside(first, repository, keep, work(), mebibyte)).rejects.toThrow('is full')
        expect(await idsIn(repository)).toEqual([])
        expect(await readdir(first.dataDir)).not.toContain('backup-staging')
        await run('mount', ['-o', 'remount,size=64m', store], { timeoutMs: 10_000 })
        const whole = await writeOutside(first, repository, keep, work())
        expect(await idsIn(repository)).toEqual([whole.id])
        await repository.check({ data: true, signal: never() })
      } finally {
        await run('umount', ['-l', store], { timeoutMs: 10_000 })
      }
    },
  )

  it.each(['ab', 'my_backups.', '192.168.1.1'])(
    'with the bucket %s, which cannot be the name of one, is told as that',
    async (bucket) => {
      const repository = `s3:https://127.0.0.1:1/${bucket}/folder`
      const far = makeRepository({ ...(await place()), repository, s3 }, null)
      for (const attempt of [() => far.reach(never()), () => far.create(never())])
        await expect(attempt()).rejects.toMatchObject({
          is: 'bad-bucket',
          message: expect.stringMatching(
            /^The S3 bucket in .* is not valid: Bucket name (cannot|contains) .*\. Check SLIPWAY_BACKUP_REPOSITORY\.$/,
          ),
        })
    },
  )

  it('is given up when its store takes what it is sent and never answers', async () => {
    const store = createServer().listen(0, '127.0.0.1')
    await once(store, 'listening')
    const { port } = store.address() as AddressInfo
    try {
      const far = { ...(await place()), repository: `s3:http://127.0.0.1:${port}/backups`, s3 }
      const repository = makeRepository(far, null, { answerMs: 500, silentMs: 500, longestMs: 500 })
      const first = await installation()
      await expect(writeOutside(first, repository, keep, work())).rejects.toThrow('did not respond in time')
      expect(await readdir(first.dataDir)).not.toContain('backup-staging')
    } finally {
      store.close()
    }
  })

  it('is refused by what restic complains of', () => {
    const said: [string, ReturnType<typeof troubleIn>][] = [
      ['Fatal: wrong password or no key found', 'wrong-password'],
      ['Fatal: unable to create lock in backend: repository is already locked by PID 7', 'locked'],
      ['Save(<data/1>) returned error: write: no space left on device', 'full'],
      ['client.PutObject: Access Denied.', 'refused'],
      ['Fatal: repository contains errors', 'damaged'],
      [
        'Fatal: unable to open config file: Stat: Get "http://127.0.0.1:1/b": dial tcp 127.0.0.1:1: connect: connection refused\nIs there a repository at the following location?',
        'unreachable',
      ],
      [
        'Fatal: unable to open config file: stat /r/config: no such file or directory\nIs there a repository at the following location?\n/r',
        'no-repository',
      ],
      [
        'Fatal: unable to open config file: client.GetObject: Bucket name cannot be shorter than 3 characters\nIs there a repository at the following location?\ns3:https://s3.test/ab',
        'bad-bucket',
      ],
      ['Fatal: parsing repository location failed: s3: bucket name not found', 'bad-bucket'],
      [
        'Fatal: unable to open config file: Stat: The specified bucket is not valid.\nIs there a repository at the following location?',
        'bad-bucket',
      ],
      ['Fatal: something new', null],
    ]
    for (const [complaint, trouble] of said) expect(troubleIn(complaint)).toBe(trouble)
  })
})
