// @module-tag both-databases
/** What finds no room in the database: the way out gets some, and nothing else does. */
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { asWayOut } from '../lib/way-out.ts'
import { databaseProblem } from './errors.ts'
import type { Db } from './schema.ts'

const disk = vi.hoisted(() => ({ writes: 0, fullAt: (_: number): boolean => false }))
// Files before this one may have loaded what is to write to that disk.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('node:sqlite', async (original) => {
  const { onDatabase } = await import('./full-database.test-kit.ts')
  return onDatabase(await original<typeof import('node:sqlite')>(), disk)
})
const { openSqlite } = await import('./sqlite.ts')

const base = directoryOfFile()
let db: Db
let left = 0
beforeEach(async () => {
  await db?.destroy()
  disk.fullAt = () => false
  db = openSqlite(path.join(base, `${Math.random()}.sqlite`), {
    makeRoom() {
      left -= 1
      if (left === 0) disk.fullAt = () => false
      return left >= 0
    },
  })
  await sql`create table note (text text)`.execute(db)
})
afterAll(() => db.destroy())

const write = (text: string): Promise<unknown> => sql`insert into note values (${text})`.execute(db)
const writeTogether = (...texts: string[]): Promise<unknown> =>
  db.transaction().execute(async (tx) => {
    for (const text of texts) await sql`insert into note values (${text})`.execute(tx)
  })
const texts = async () =>
  (await sql<{ text: string }>`select text from note order by text`.execute(db)).rows.map(({ text }) => text)
function fillUp(pieces: number): void {
  left = pieces
  disk.fullAt = () => true
}

it('a way out is stored once with as much of the ballast as it takes', async () => {
  fillUp(3)
  await asWayOut(() => writeTogether('a', 'b'))
  fillUp(2)
  await asWayOut(() => write('c'))
  expect(await texts()).toEqual(['a', 'b', 'c'])
})

async function expectRefused(...acts: (() => Promise<unknown>)[]): Promise<void> {
  for (const act of acts)
    expect(databaseProblem(await act().catch((error: unknown) => error))).toContain('Free some space')
  disk.fullAt = () => false
  expect(await texts()).toEqual([])
}

it('a way out is refused when nothing of the ballast is left', async () => {
  fillUp(0)
  await expectRefused(
    () => asWayOut(() => write('a')),
    () => asWayOut(() => writeTogether('b')),
  )
})

it('what is no way out gives up nothing', async () => {
  fillUp(3)
  await expectRefused(
    () => write('a'),
    () => writeTogether('b'),
    () => asWayOut(() => write('c'), false),
  )
  expect(left).toBe(3)
})
