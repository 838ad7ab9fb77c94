import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { databaseProblem } from './errors.ts'
import { migrate, migrations } from './migrate.ts'
import type { Db } from './open.ts'
import { openSqlite } from './sqlite.ts'

const base = directoryOfFile()
const open: { destroy(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.destroy()
})

const kept = <T extends { destroy(): Promise<void> | void }>(one: T): T => {
  open.push(one)
  return one
}

/** A migrated database that claims to lack the newest migration, with a row that only the log has. */
async function oldDatabase(name: string) {
  const dir = path.join(base, name)
  await mkdir(dir)
  const file = path.join(dir, 'slipway.sqlite')
  const first = openSqlite(file)
  await migrate(first, file)
  await first.destroy()
  const db = kept(openSqlite(file))
  const migrateAgain = async () => {
    await forget(db)
    await migrate(db, file).catch(() => {})
  }
  return { file, db, copy: `${file}.before-${newest}`, migrateAgain }
}

const newest = Object.keys(migrations).sort().at(-1) ?? ''
/** Makes the next `migrate` do the newest migration again; it fails, as its tables are there. That is after the copy. */
const forget = (db: Db) => sql`delete from kysely_migration where name = ${newest}`.execute(db)
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

const addAccount = (db: Db, id: string) =>
  sql`insert into account (id, name, email, password_hash, created_at)
      values (${id}, ${id}, ${`${id}@slipway.test`}, 'x', '2026-01-01T00:00:00.000Z')`.execute(db)

function accountsIn(file: string): unknown[] {
  const copy = new DatabaseSync(file, { readOnly: true })
  try {
    return copy
      .prepare('select id from account order by id')
      .all()
      .map(({ id }) => id)
  } finally {
    copy.close()
  }
}

describe('the copy before a migration', () => {
  it('has what was stored last, also while another program reads and keeps the log from being folded in', async () => {
    const { file, db, copy, migrateAgain } = await oldDatabase('busy')
    await addAccount(db, 'before')
    // As `npm run activity` or a backup does: from here on it sees this moment, and the log cannot be emptied.
    const reader = new DatabaseSync(file)
    kept({ destroy: () => reader.close() })
    reader.exec('begin')
    reader.prepare('select count(*) from account').get()
    await addAccount(db, 'last')
    await migrateAgain()
    expect(accountsIn(copy)).toEqual(['before', 'last'])
  })

  it('is for the owner alone, and leaves nothing half made', async () => {
    const { file, copy, migrateAgain } = await oldDatabase('mode')
    await migrateAgain()
    expect((await stat(copy)).mode & 0o077).toBe(0)
    expect((await readdir(path.dirname(file))).filter((name) => name.includes('part'))).toEqual([])
  })

  it('never takes the place of one that is there: that may be the last good state', async () => {
    const { copy, migrateAgain } = await oldDatabase('twice')
    await writeFile(copy, 'the first copy')
    await migrateAgain()
    expect(await readFile(copy, 'utf8')).toBe('the first copy')
    expect(accountsIn(`${copy}-2`)).toEqual([])
  })
})

/** A file system of a few MiB. Only root can have one. */
async function smallFileSystem(name: string): Promise<string> {
  const dir = path.join(base, name)
  await mkdir(dir)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', dir])
  kept({ destroy: () => void execFileSync('umount', ['-l', dir]) })
  return dir
}

const canMount = process.getuid?.() === 0 && mountWorks()
if (!canMount) console.warn('SKIPPED: tests on a full disk need root and the right to mount.')

function mountWorks(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!canMount)('on a disk that is full', () => {
  it('a migration is refused with a sentence when there is no room for the copy, and nothing is changed', async () => {
    const dir = await smallFileSystem('no-room')
    const file = path.join(dir, 'slipway.sqlite')
    const db = kept(openSqlite(file))
    await migrate(db, file)
    await sql`pragma wal_checkpoint(truncate)`.execute(db)
    await forget(db)
    const filler = path.join(dir, 'filler')
    for (let bytes = 1 << 21; bytes >= 4096; bytes >>= 1) {
      await writeFile(filler, Buffer.alloc(bytes), { flag: 'a' }).catch(() => {})
    }
    await expect(migrate(db, file)).rejects.toThrow(/not enough space for the backup copy .* Free \d+ MB/)
    expect(existsSync(`${file}.before-${newest}`)).toBe(false)
    expect((await readdir(dir)).filter((name) => name.includes('part'))).toEqual([])
  })

  it('what cannot be written is told as such, whatever SQLite calls it', async () => {
    const dir = await smallFileSystem('full')
    const db = kept(openSqlite(path.join(dir, 'slipway.sqlite')))
    await migrate(db, null)
    let failure: unknown = null
    for (let i = 0; i < 20_000 && failure === null; i++) {
      failure = await failureOf(addAccount(db, `${'x'.repeat(1000)}${i}`))
    }
    expect(databaseProblem(failure)).toContain('no disk space left')
  })
})

describe('what a failure of the disk is told as', () => {
  it('a full database', async () => {
    const db = kept(openSqlite(':memory:'))
    await migrate(db, null)
    await sql`pragma max_page_count=1`.execute(db)
    expect(databaseProblem(await failureOf(addAccount(db, 'x'.repeat(100_000))))).toContain(
      'no disk space left',
    )
  })

  it('a database that is read-only', async () => {
    const file = path.join(base, 'read-only.sqlite')
    const writer = openSqlite(file)
    await migrate(writer, null)
    await writer.destroy()
    const db = kept(openSqlite(file, { readOnly: true }))
    expect(databaseProblem(await failureOf(addAccount(db, 'a')))).toContain('cannot be written')
  })

  it.each([
    ['SQLITE_IOERR_WRITE', { errcode: 778 }, 'reports errors'],
    ['SQLITE_IOERR_FSYNC', { errcode: 1034 }, 'reports errors'],
    ['SQLITE_IOERR_SHMSIZE', { errcode: 4874 }, 'no disk space left'],
    ['SQLITE_CANTOPEN', { errcode: 14 }, 'cannot be opened'],
    ['SQLITE_READONLY_DIRECTORY', { errcode: 1544 }, 'cannot be written'],
    ['ENOSPC', { code: 'ENOSPC' }, 'no disk space left'],
    ['EDQUOT', { code: 'EDQUOT' }, 'no disk space left'],
    ['EROFS', { code: 'EROFS' }, 'cannot be written'],
    ['EIO', { code: 'EIO' }, 'reports errors'],
  ])('%s', (_name, properties, words) => {
    expect(databaseProblem(Object.assign(new Error('no'), properties))).toContain(words)
  })

  it.each([
    ['a broken unique index', Object.assign(new Error('no'), { errcode: 2067 })],
    ['a broken reference', Object.assign(new Error('no'), { errcode: 787 })],
    ['a mistake of ours', new TypeError('no')],
    ['nothing', null],
  ])('%s is none', (_name, error) => expect(databaseProblem(error)).toBe(null))
})
