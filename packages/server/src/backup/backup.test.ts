/** Backups of installations on the simulated engine, on the database of this run, restored into either. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { makeTestAppOver } from '../app.test-kit.ts'
import { freshPlace, onPostgres } from '../db/database.test-kit.ts'
import { takeRows } from '../db/kept-rows.ts'
import { migrate, migrationsDone } from '../db/migrate.ts'
import { type DatabasePlace, type Db, openDatabase } from '../db/open.ts'
import { digestOf, tablesOf } from '../db/tables.ts'
import { openDeskAt } from '../desk.test-kit.ts'
import { work } from '../engine/engine.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { SIMULATED_FILE } from '../engine/simulated/kept.ts'
import { makeSimulatedEngine } from '../engine/simulated/simulated.ts'
import { fill } from '../filled.test-kit.ts'
import { directoryForEach } from '../lib/directory.test-kit.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { silentLog } from '../lib/log.ts'
import { makeOldDatabase } from '../upgrade/upgrade.test-kit.ts'
import { askForBackup, openBackupDesk } from './desk.ts'
import { filesBelow } from './files.ts'
import { MANIFEST, type Manifest, readManifest } from './manifest.ts'
import { requireComplete, restoreBackup } from './restore.ts'
import { writeBackup } from './write.ts'

const at = directoryForEach()
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The server over a data directory and a database. */
async function serverAt(dataDir: string, database: DatabasePlace) {
  await mkdir(dataDir, { recursive: true })
  const clock = makeHandClock()
  const engine = makeSimulatedEngine({ clock, file: path.join(dataDir, SIMULATED_FILE) })
  await engine.open()
  const app = await makeTestAppOver({ clock, engine, passTime: () => clock.advance(60_000) }, { database })
  let isOpen = true
  const close = async () => {
    if (isOpen) await app.close()
    isOpen = false
  }
  closing.push(close)
  return { ...app, app, close, installation: { dataDir, database, engine } }
}

/** An installation with a VM that runs, and a disk and a snapshot of it. */
async function filled() {
  const server = await serverAt(at('first'), await freshPlace(at('first.sqlite')))
  const desk = await openDeskAt(server.app, () => server.clock.advance(1_000))
  const { body } = await desk.createVm('Web')
  await server.clock.advance(60_000)
  await server.idle()
  return { ...server, desk, vmId: body.id }
}

/** An installation, and a backup of it. */
async function backedUp() {
  const server = await filled()
  return { ...server, made: await writeBackup(server.installation, at('backup'), work()) }
}

async function inDatabase<T>(place: DatabasePlace, look: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(place)
  return look(db).finally(() => db.destroy())
}
/** What the digests of a database have to be that is restored from a backup. */
const digestsIn = ({ tables }: Pick<Manifest, 'tables'>) =>
  Object.fromEntries(tables.map(({ name, rows, sha256 }) => [name, { rows, sha256 }]))
const never = () => new AbortController().signal
const digests = (place: DatabasePlace) =>
  inDatabase(place, async (db) => {
    const all = await tablesOf(db)
    return Object.fromEntries(
      await Promise.all(all.map(async (table) => [table.name, await digestOf(db, table)] as const)),
    )
  })
const restoreTo = async (name: string, place?: DatabasePlace, from = 'backup') => {
  const database = place ?? (await freshPlace(at(`${name}.sqlite`)))
  const target = { dataDir: at(name), database, engine: 'simulated' as const }
  return { ...target, manifest: await restoreBackup(at(from), target, never()) }
}

describe('a backup', () => {
  it('has every row of every table, whatever is going on', async () => {
    const first = await serverAt(at('first'), await freshPlace(at('first.sqlite')))
    await fill(first.app)
    const made = await writeBackup(first.installation, at('backup'), work())
    expect(made.tables.filter(({ rows }) => rows === 0).map(({ name }) => name)).toEqual([])
    const { database } = await restoreTo('second')
    expect(await digests(database)).toEqual(digestsIn(made))
  })

  it('that the engine cannot make is refused with its sentence before anything is written', async () => {
    const { installation, close } = await filled()
    const { engine } = installation
    const cannot = { ...noLimits, backups: clusterLimits.backups }
    const unable = {
      ...installation,
      engine: { ...engine, capabilities: { ...engine.capabilities, cannot } },
    }
    await expect(writeBackup(unable, at('backup'), work())).rejects.toThrow(clusterLimits.backups)
    const closeDesk = await openBackupDesk(unable, silentLog)
    closing.push(closeDesk)
    const asked = askForBackup(unable.dataDir, { dir: at('backup') }, () => {})
    await expect(asked).rejects.toThrow(clusterLimits.backups)
    expect(existsSync(at('backup'))).toBe(false)
    await close()
  })

  it('of an earlier version is brought up to date after its restore as the original would be', async () => {
    const old = { file: at('old.sqlite') }
    await makeOldDatabase(old.file)
    const { installation } = await serverAt(at('first'), await freshPlace(at('first.sqlite')))
    const { migrations } = await writeBackup({ ...installation, database: old }, at('backup'), work())
    const { database } = await restoreTo('second')
    await inDatabase(old, (db) => migrate(db, null))
    expect(await inDatabase(database, migrationsDone)).toEqual(migrations)
    await inDatabase(database, (db) => migrate(db, null))
    expect((await inDatabase(database, migrationsDone)).length).toBeGreaterThan(migrations.length)
    expect(await digests(database)).toEqual(await digests(old))
  })

  it('is made while the server runs, and restored elsewhere is the same installation', async () => {
    const { db, desk, vmId, installation, close } = await filled()
    installation.engine.poke({ machineId: vmId }, 'written by the guest')
    // What servers that run say to each other stays here.
    expect(await db.selectFrom('lease').selectAll().execute()).toHaveLength(1)
    await db.insertInto('revision').values({ id: 1, number: 3, epoch: 'here' }).execute()
    const made = await writeBackup(installation, at('backup'), work())
    expect(made.left_out).toEqual([])
    expect(await desk.vm(vmId)).toMatchObject({ status: 'running' })
    await close()
    const before = await digests(installation.database)

    const { dataDir, database } = await restoreTo('second')
    expect(await digests(database)).toEqual(before)
    for (const table of ['lease', 'revision'] as const)
      expect(await inDatabase(database, (db) => db.selectFrom(table).selectAll().execute())).toEqual([])
    const second = await serverAt(dataDir, database)
    expect(second.engine.peek({ machineId: vmId })).toBe('written by the guest')
    // Its guest went down with the host; it should run, so it is started again.
    await second.clock.advance(60_000)
    await second.idle()
    const { status } = await second.db.selectFrom('vm').select('status').executeTakeFirstOrThrow()
    expect(status).toBe('running')
  })

  it('can be restored into the other kind of database, and back', async () => {
    const { installation, made } = await backedUp()
    const expected = digestsIn(made)
    const { database } = await restoreTo('second', { file: at('other.sqlite') })
    expect(await digests(database)).toEqual(expected)
    await writeBackup({ ...installation, database }, at('again'), work())
    const back = await restoreTo('third', undefined, 'again')
    expect(await digests(back.database)).toEqual(expected)
  })

  it('keeps text whole that ends lines, and rows of a moment in which others write', async () => {
    const { db, installation } = await filled()
    const name = 'one\u2028two\u2029three\r\n"four"'
    await db.updateTable('project').set({ description: name }).execute()
    const { id } = await db.selectFrom('account').select('id').executeTakeFirstOrThrow()
    let isOver = false
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await turn()
        await db.transaction().execute(async (tx) => {
          const texts = { name: `${n}`, description: '', created_at: '' }
          const own = { id: `twin-${n}`, account_id: id, internet: 1 as const, ...texts }
          await tx.insertInto('project').values(own).execute()
          const used = { cpu: 0, memory_mb: 0, disk_read: 0, disk_write: 0, net_in: 0, net_out: 0 }
          await tx
            .insertInto('usage_sample')
            .values({ owner_id: own.id, at: '', running: 1, ...used })
            .execute()
        })
      }
    })()
    await writeBackup(installation, at('backup'), work()).finally(() => {
      isOver = true
    })
    await writing
    const { database } = await restoreTo('second')
    const rows = await inDatabase(database, (db) =>
      db.selectFrom('project').select(['id', 'description']).execute(),
    )
    const samples = await inDatabase(database, (db) =>
      db.selectFrom('usage_sample').select('owner_id').execute(),
    )
    expect(rows.map(({ description }) => description)).toContain(name)
    const twins = (ids: string[]) => ids.filter((one) => one.startsWith('twin-')).sort()
    expect(twins(rows.map((row) => row.id))).toEqual(twins(samples.map((one) => one.owner_id)))
  })

  it('names what it could not take, and that is shown as lost after a restore', async () => {
    const { desk, vmId, installation } = await filled()
    await desk.createVm('Coming')
    await installation.engine.deleteMachine(vmId)
    const { left_out } = await writeBackup(installation, at('backup'), work())
    expect(left_out).toEqual([{ type: 'VM', id: vmId, name: 'Web', reason: 'Its files were not there.' }])
    const { dataDir, database } = await restoreTo('second')
    const second = await serverAt(dataDir, database)
    await second.clock.advance(60_000)
    await second.idle()
    const rows = await second.db.selectFrom('vm').select(['name', 'status']).orderBy('name').execute()
    expect(rows).toEqual([
      { name: 'Coming', status: 'running' },
      { name: 'Web', status: 'error' },
    ])
  })

  it('that is ended or fails leaves nothing, and never writes where something is', async () => {
    const { installation } = await filled()
    const aborted = { ...work(), signal: AbortSignal.abort() }
    await expect(writeBackup(installation, at('backup'), aborted)).rejects.toThrow()
    await mkdir(at('empty'))
    await expect(writeBackup(installation, at('empty'), aborted)).rejects.toThrow()
    expect(await readdir(at())).not.toContain('backup')
    expect(await readdir(at('empty'))).toEqual([])
    await mkdir(at('used'))
    await writeFile(at('used', 'mine'), '')
    await expect(writeBackup(installation, at('used'), work())).rejects.toThrow('is not empty')
    expect(await readdir(at('used'))).toEqual(['mine'])
    const inside = path.join(installation.dataDir, 'backup')
    await expect(writeBackup(installation, inside, work())).rejects.toThrow('lies in the data directory')
  })

  it('is for its owner alone', async () => {
    const { installation } = await filled()
    await writeFile(path.join(installation.dataDir, 'metrics.token'), 'secret')
    await chmod(path.join(installation.dataDir, 'metrics.token'), 0o644)
    await writeBackup(installation, at('backup'), work())
    const names = ['', ...(await readdir(at('backup'), { recursive: true }))]
    for (const name of names) expect((await lstat(at('backup', name))).mode & 0o077).toBe(0)
  })
})

describe('a restore', () => {
  const manifest = async (): Promise<Manifest> => JSON.parse(await readFile(at('backup', MANIFEST), 'utf8'))
  const change = async (edit: (manifest: Manifest) => object) =>
    writeFile(at('backup', MANIFEST), JSON.stringify(edit(await manifest())))
  const data = () => at('backup', 'data', SIMULATED_FILE)
  const rows = () => at('backup', 'database', 'account.ndjson')
  const withPath = (name: string) => () =>
    change(({ files, ...rest }) => ({
      ...rest,
      files: [...files, { path: name, bytes: 0, sha256: '0'.repeat(64) }],
    }))

  it.each<[string, string, () => Promise<unknown>]>([
    ['a file is missing', `data/${SIMULATED_FILE} is missing`, () => rm(data())],
    ['a file is shorter', 'bytes instead of', () => truncate(data(), 10)],
    [
      'a file was changed',
      'The content of database/account.ndjson was changed',
      async () => writeFile(rows(), (await readFile(rows(), 'utf8')).replace('Ada', 'Eve')),
    ],
    [
      'a file is a link',
      'is not a plain file',
      async () => {
        await rename(data(), at('aside'))
        await symlink(at('aside'), data())
      },
    ],
    [
      'a folder is a link',
      'is missing',
      async () => {
        await rename(at('backup', 'data'), at('aside'))
        await symlink(at('aside'), at('backup', 'data'))
      },
    ],
    ['the list is missing', 'is not a complete backup', () => rm(at('backup', MANIFEST))],
    ['the list is torn', 'is damaged or was changed', () => truncate(at('backup', MANIFEST), 100)],
    ['a path leads upwards', 'leads out of the backup', withPath('data/machines/../../../evil')],
    [
      'a table has lost a row in both places',
      'another checksum',
      () =>
        change((all) => ({ ...all, tables: all.tables.map((one) => ({ ...one, sha256: '0'.repeat(64) })) })),
    ],
    [
      'it is of a newer version',
      'newer version of Slipway',
      () => change((all) => ({ ...all, migrations: [...all.migrations, '9999-later'] })),
    ],
    [
      'a table is another one',
      'not those of its version',
      () =>
        change((all) => ({
          ...all,
          tables: all.tables.map((one) => (one.rows === 0 ? { ...one, columns: ['id', 'evil'] } : one)),
        })),
    ],
    ['it is of another engine', 'SLIPWAY_ENGINE=qemu', () => change((all) => ({ ...all, engine: 'qemu' }))],
  ])('writes nothing when %s', async (_, message, damage) => {
    await backedUp()
    await damage()
    const database = await freshPlace(at('second.sqlite'))
    await expect(restoreTo('second', database)).rejects.toThrow(message)
    expect(await filesBelow(at('second')).catch(() => [])).toEqual([])
    // Nor are there tables, so that the whole one can be restored here.
    expect(Object.keys('file' in database ? {} : await digests(database))).toEqual([])
    expect((await readdir(at())).filter((name) => name.startsWith('second.sqlite'))).toEqual([])
  })

  it('takes only an empty data directory and an empty database', async () => {
    const { installation } = await backedUp()
    await mkdir(at('used', 'machines'), { recursive: true })
    await writeFile(at('used', 'mine'), '')
    await expect(restoreTo('used')).rejects.toThrow('is not empty (it has mine)')
    if ('url' in installation.database) {
      const other = await freshPlace('')
      await inDatabase(other, (db) => migrate(db, null))
      await expect(restoreTo('second', other)).rejects.toThrow('is not empty')
    }
  })

  it.runIf(onPostgres)('adds nothing to a database that others began to use meanwhile', async () => {
    const { made } = await backedUp()
    const database = await freshPlace('')
    const both = await Promise.allSettled(['second', 'third'].map((name) => restoreTo(name, database)))
    const [won, lost] = both[0]?.status === 'fulfilled' ? ['second', 'third'] : ['third', 'second']
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining('is not empty') },
    })
    expect((await filesBelow(at(won))).length).toBeGreaterThan(0)
    expect(await filesBelow(at(lost))).toEqual([])
    expect(await digests(database)).toEqual(digestsIn(made))
    // A server that was started on it, and has only made the tables.
    const used = await freshPlace('')
    await inDatabase(used, (db) => migrate(db, null))
    const manifest = await readManifest(at('backup'))
    await expect(takeRows(used, at('backup', 'database'), manifest)).rejects.toThrow('is not empty')
  })

  it('that was killed in the middle lets no server start there', async () => {
    await mkdir(at('half'))
    await writeFile(at('half', 'restore-not-complete'), '')
    expect(() => requireComplete(at('half'))).toThrow('did not come to its end')
    expect(() => requireComplete(at('other'))).not.toThrow()
  })
})

describe('a running server', () => {
  it('makes a backup for its owner, one at a time, and none for who does not wait', async () => {
    const { installation } = await filled()
    let held = Promise.withResolvers<void>()
    const { engine } = installation
    const slow = {
      ...engine,
      saveTo: async (...[to, ids, { signal, onProgress }]: Parameters<typeof engine.saveTo>) => {
        signal.throwIfAborted()
        await Promise.race([held.promise, once(signal, 'abort')])
        signal.throwIfAborted()
        return engine.saveTo(to, ids, { signal, onProgress })
      },
    }
    const close = await openBackupDesk({ ...installation, engine: slow }, silentLog)
    closing.push(close)
    const socket = path.join(installation.dataDir, 'backup.sock')
    expect((await lstat(socket)).mode & 0o777).toBe(0o600)
    const ask = (name: string) => askForBackup(installation.dataDir, { dir: at(name) }, () => {})
    const first = ask('backup')
    await expect.poll(() => readdir(at('backup')).catch(() => [])).toContain('database')
    await expect(ask('again')).rejects.toThrow('Another backup')
    held.resolve()
    expect(await first).toMatchObject({ left_out: [] })
    expect((await restoreTo('second')).manifest.engine).toBe('simulated')
    await expect(ask('backup')).rejects.toThrow('is not empty')

    held = Promise.withResolvers()
    // Its end ends what is under way.
    const last = ask('last')
    await expect.poll(() => readdir(at('last')).catch(() => [])).toContain('database')
    await Promise.all([close(), expect(last).rejects.toThrow('The server ended before')])
    expect(await readdir(at())).not.toContain('last')
    await expect(ask('third')).rejects.toThrow('does not answer')
  })
})
