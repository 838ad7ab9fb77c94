/** What finds no room in the database: the way out gets some, and nothing else does. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
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

const base = await mkdtemp(path.join(tmpdir(), 'slipway-ways-out-'))
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
afterAll(async () => {
  await db.destroy()
  await rm(base, { recursive: true, force: true })
})

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

it('a way out is refused when nothing of the ballast is left', async () => {
  fillUp(0)
  for (const act of [() => write('a'), () => writeTogether('b')])
    expect(databaseProblem(await asWayOut(act).catch((error: unknown) => error))).toContain('Free some space')
  disk.fullAt = () => false
  expect(await texts()).toEqual([])
})

it('what is no way out gives up nothing', async () => {
  fillUp(3)
  for (const act of [() => write('a'), () => writeTogether('b'), () => asWayOut(() => write('c'), false)])
    expect(databaseProblem(await act().catch((error: unknown) => error))).toContain('Free some space')
  expect(left).toBe(3)
  disk.fullAt = () => false
  expect(await texts()).toEqual([])
})
