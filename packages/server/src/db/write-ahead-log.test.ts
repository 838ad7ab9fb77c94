import { stat } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { databaseProblem } from './errors.ts'
import type { Db } from './schema.ts'
import { openSqlite } from './sqlite.ts'

/** The disk under the log: how often it was asked to keep everything, and what it does then. */
const disk = vi.hoisted(() => ({ asked: 0, answer: (): Promise<void> => Promise.resolve() }))
const threads = vi.hoisted(() => ({ areLeft: true }))
// Files before this one may have loaded what is to write to that disk.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  return {
    ...fs,
    async open(...args: Parameters<typeof fs.open>) {
      const handle = await fs.open(...args)
      if (!String(args[0]).endsWith('-wal')) return handle
      return {
        async datasync() {
          disk.asked++
          await disk.answer()
          await handle.datasync()
        },
        close: () => handle.close(),
      }
    },
  }
})

vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof import('node:worker_threads')>()
  return {
    ...real,
    Worker: class extends real.Worker {
      constructor(...args: ConstructorParameters<typeof real.Worker>) {
        if (!threads.areLeft) throw Object.assign(new Error('no'), { code: 'ERR_WORKER_INIT_FAILED' })
        super(...args)
      }
    },
  }
})

const base = directoryOfFile()

let file: string
let db: Db
let n = 0
beforeEach(async () => {
  file = path.join(base, `${++n}.sqlite`)
  db = openSqlite(file)
  await sql`create table note (text text)`.execute(db)
  disk.asked = 0
})
afterEach(async () => {
  disk.answer = () => Promise.resolve()
  await db.destroy()
})

const write = (text: string) => sql`insert into note values (${text})`.execute(db)
const writeTogether = (...texts: string[]) =>
  db.transaction().execute(async (tx) => {
    for (const text of texts) await sql`insert into note values (${text})`.execute(tx)
  })
const failing = () => Promise.reject(Object.assign(new Error('no'), { code: 'EIO' }))
const manyWrites = async () => {
  for (let i = 0; i < 260; i++) await write('x'.repeat(1000))
}
const growsFrom = (before: number) =>
  vi.waitFor(async () => expect((await stat(file)).size).toBeGreaterThan(before + 100_000), 10_000)
const count = async () => (await sql<{ n: number }>`select count(*) as n from note`.execute(db)).rows[0]?.n

it('lets nobody wait for a slow disk but those who write, and they share their waiting', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  disk.answer = () => promise
  let stored = 0
  const writing = ['a', 'b', 'c'].map((text) => write(text).then(() => stored++))
  await vi.waitFor(() => expect(disk.asked).toBe(1))
  const later = writeTogether('d', 'e').then(() => stored++)
  await vi.waitFor(async () => expect(await count()).toBe(5))
  expect(stored).toBe(0)
  expect(disk.asked).toBe(1)
  resolve()
  await Promise.all([...writing, later])
  expect(disk.asked).toBe(2)
})

it('asks nothing of the disk for what only reads, or came to nothing', async () => {
  await count()
  const failed = db.transaction().execute(async (tx) => {
    await sql`insert into note values ('no')`.execute(tx)
    throw new Error('never mind')
  })
  await expect(failed).rejects.toThrow('never mind')
  expect(disk.asked).toBe(0)
  expect(await count()).toBe(0)
})

it('stores in the database itself what the disk failed to keep in the log', async () => {
  disk.answer = failing
  await write('a')
  expect((await stat(`${file}-wal`)).size).toBe(0)
  expect(await count()).toBe(1)
})

it('acknowledges nothing while neither keeps it, and goes on when one does', async () => {
  await write('before')
  disk.answer = failing
  // Somebody who reads an old state keeps the log from being emptied.
  const reader = new DatabaseSync(file)
  reader.exec('begin')
  reader.prepare('select count(*) from note').get()
  const refused = await write('a').catch((error: unknown) => error)
  expect(databaseProblem(refused)).toContain('reports errors')
  // The disk is well again, but what it lost it does not bring back by itself.
  disk.answer = () => Promise.resolve()
  disk.asked = 0
  expect(databaseProblem(await write('b').catch((error: unknown) => error))).toContain('reports errors')
  expect(disk.asked).toBe(0)
  reader.close()
  await write('c')
  expect(await count()).toBe(4)
})

it('is shortened beside the thread that answers', async () => {
  const before = (await stat(file)).size
  await manyWrites()
  await growsFrom(before)
  expect(await count()).toBe(260)
})

it('refuses nothing that is stored while the host has no thread to shorten it, and is shortened when it has', async () => {
  const before = (await stat(file)).size
  threads.areLeft = false
  await manyWrites()
  threads.areLeft = true
  await manyWrites()
  await growsFrom(before)
  expect(await count()).toBe(520)
})
