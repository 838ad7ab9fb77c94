// @module-tag both-databases
/** A database of each released version that is kept here goes through every migration since, with all it holds. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeTestAppOver } from '../app.test-kit.ts'
import { copyToPostgres } from '../db/copy-to-postgres.ts'
import { createDatabase, onPostgres } from '../db/database.test-kit.ts'
import { migrate } from '../db/migrate.ts'
import { type DatabasePlace, type Db, openDatabase } from '../db/open.ts'
import { openSqlite } from '../db/sqlite.ts'
import { type Row, rowsOf, tablesOf } from '../db/tables.ts'
import { makeSimulatedEngine } from '../engine/simulated/simulated.ts'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { makeOldDatabase } from './upgrade.test-kit.ts'

const base = directoryOfFile()

async function allRows(db: Db): Promise<Map<string, Row[]>> {
  const all = new Map<string, Row[]>()
  for (const table of await tablesOf(db)) {
    const rows: Row[] = []
    for await (const some of rowsOf(db, table)) rows.push(...some)
    all.set(table.name, rows)
  }
  return all
}

describe('a database of version 0.1.0', () => {
  const file = path.join(base, 'slipway.sqlite')
  let before: Map<string, Row[]>
  let place: DatabasePlace
  let migrated: Db

  beforeAll(async () => {
    await makeOldDatabase(file)
    const db = openSqlite(file)
    before = await allRows(db)
    await migrate(db, file)
    await db.destroy()
    // PostgreSQL is younger than that version: one moves there after the upgrade.
    place = onPostgres ? { url: await createDatabase() } : { file }
    if ('url' in place) await copyToPostgres({ file }, place)
    migrated = openDatabase(place, { readOnly: true })
    return () => migrated.destroy()
  })

  it('has something in every table that version had', () => {
    expect([...before].filter(([, rows]) => rows.length === 0).map(([name]) => name)).toEqual([])
    expect(before.size).toBe(14)
  })

  it('was copied beside itself first', async () => {
    expect(await readdir(base)).toContain('slipway.sqlite.before-0006-silent')
    const copy = openSqlite(path.join(base, 'slipway.sqlite.before-0006-silent'), { readOnly: true })
    expect(await allRows(copy)).toEqual(before)
    await copy.destroy()
  })

  it('keeps every row with all its values, and refers to nothing that is not there', async () => {
    const after = await allRows(migrated)
    for (const [table, rows] of before) {
      if (table === 'usage_sample') continue
      const columns = Object.keys(rows[0] ?? {})
      const kept = after
        .get(table)
        ?.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])))
      expect({ table, rows: kept }).toEqual({ table, rows: rows.map((row) => ({ ...row })) })
    }
    // PostgreSQL has looked at each reference itself.
    if ('file' in place) expect((await sql`pragma foreign_key_check`.execute(migrated)).rows).toEqual([])
    // What running servers say to each other is nothing yet.
    for (const table of ['lease', 'revision'] as const)
      expect(await migrated.selectFrom(table).selectAll().execute()).toEqual([])
  })

  it('knows what is new since: no VM is silent, and usage is summed up for groups and projects', async () => {
    expect(await migrated.selectFrom('vm').select('name').where('silent', '<>', 0).execute()).toEqual([])
    const samples = await migrated.selectFrom('usage_sample').selectAll().execute()
    const of = (name: string, table: 'vm' | 'vm_group' | 'project') => {
      const id = before.get(table)?.find((row) => row.name === name)?.id
      return samples.filter((sample) => sample.owner_id === id)
    }
    const amounts = { cpu: 2, at: '2026-11-21T00:05:00.000Z' }
    expect(of('web', 'vm')).toMatchObject([{ ...amounts, running: 1, memory_mb: 54 }])
    expect(of('etcd', 'vm_group')).toMatchObject([{ ...amounts, running: 2, memory_mb: 108 }])
    expect(of('checkout', 'project')).toMatchObject([{ ...amounts, running: 7, disk_write: 126_000 }])
  })

  it('shows everything to its user, who signs in with the password of that time', async () => {
    // An hour later, so that nothing has expired.
    const clock = makeHandClock(Date.UTC(2026, 10, 21, 1))
    const engine = makeSimulatedEngine({ clock })
    await engine.open()
    const passTime = () => clock.advance(60_000)
    const app = await makeTestAppOver({ clock, engine, passTime }, { database: place })
    const person = { email: 'person-1@slipway.test', password: 'Correct-horse-1' }
    const { status, cookie } = await app.client().raw('POST', '/api/auth/signin', person)
    expect(status).toBe(200)
    const ines = app.client(cookie)
    const list = async (url: string) => (await ines.raw('GET', url)).body as { id: string; name?: string }[]
    const names = async (url: string) => (await list(url)).map(({ name }) => name).sort()
    const projects = await list('/api/projects')
    const checkout = projects.find(({ name }) => name === 'checkout')
    expect(checkout).toMatchObject({ description: 'Ünï, 商店 🛒' })
    const project = `/api/projects/${checkout?.id}`
    expect(await names('/api/projects')).toEqual(['checkout', 'playground'])
    expect(await names('/api/user/ssh-keys')).toEqual(['thinkpad'])
    expect(await names('/api/templates')).toContain('Our own')
    const vms = ['brief', 'coming', 'etcd-1', 'etcd-2', 'fault-crash', 'fault-no-space']
    expect(await names(`${project}/vms`)).toEqual([...vms, 'resting', 'runners-1', 'web'])
    const disks = ['ledger', 'noble', 'refused', 'state-1', 'state-1', 'state-2']
    expect(await names(`${project}/disks`)).toEqual(disks)
    expect(await names(`${project}/snapshots`)).toEqual(['Before restoring "good"', 'good', 'with memory'])
    expect(await names(`${project}/disksnapshots`)).toEqual(['monday', 'tuesday'])
    expect(await names(`${project}/vmpools`)).toEqual(['runners'])
    expect(await names(`${project}/vmsets`)).toEqual(['etcd'])
    const { body } = await ines.raw('GET', `${project}/activity?limit=200`)
    const told = (body as { entries: { message: string }[] }).entries.map(({ message }) => message)
    const inLog = before.get('activity')?.filter(({ project_id }) => project_id === checkout?.id)
    expect(told).toEqual(expect.arrayContaining(inLog?.map(({ message }) => message) ?? []))
    await app.close()
  })
})
