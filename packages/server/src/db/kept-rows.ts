/** All that a database holds, as files of lines of JSON: written from either database, and taken into either. */
import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { migrateTo, migrationsDone } from './migrate.ts'
import { type DatabasePlace, type Db, openDatabase } from './open.ts'
import {
  type Digest,
  digestOf,
  insertInAnyOrder,
  insertRows,
  makeDigest,
  type Row,
  rowsOf,
  type Table,
  tablesOf,
} from './tables.ts'

/** A table in a file. */
export interface KeptTable extends Table, Digest {}

export interface KeptRows {
  /** Those that made its schema. */
  migrations: string[]
  tables: KeptTable[]
}

const rowsAtOnce = 200
const fileOf = (dir: string, { name }: Pick<Table, 'name'>) => path.join(dir, `${name}.ndjson`)

/** Writes all rows of one moment into files, a line for each, whoever reads or writes meanwhile. `see` is shown them. */
export async function writeRows(
  place: DatabasePlace,
  dir: string,
  see: (table: string, row: Row) => void,
): Promise<KeptRows> {
  await mkdir(dir, { mode: 0o700 })
  // A connection of its own: in SQLite a transaction on that of the server would take what others write meanwhile.
  const db = openDatabase(place, { readOnly: true })
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        const migrations = await migrationsDone(tx)
        const tables: KeptTable[] = []
        for (const table of await tablesOf(tx)) {
          const digest = makeDigest(table)
          const file = await open(fileOf(dir, table), 'wx', 0o600)
          try {
            for await (const rows of rowsOf(tx, table)) {
              digest.add(rows)
              for (const row of rows) see(table.name, row)
              const lines = rows.map((row) => lineOf(table, row))
              await file.appendFile(lines.join(''))
            }
            await file.sync()
          } finally {
            await file.close()
          }
          tables.push({ ...table, ...digest.result() })
        }
        return { migrations, tables }
      })
  } finally {
    await db.destroy()
  }
}

/** What is wrong with the file of a table, as a sentence; null when it holds the rows that were written. */
export async function problemWith(dir: string, table: KeptTable): Promise<string | null> {
  const digest = makeDigest(table)
  try {
    for await (const rows of readRows(dir, table)) digest.add(rows)
  } catch (error) {
    return `The rows of the table ${table.name} cannot be read: ${error instanceof Error ? error.message : error}`
  }
  const { rows, sha256 } = digest.result()
  if (rows !== table.rows) return `The table ${table.name} has ${rows} rows instead of ${table.rows}.`
  return sha256 === table.sha256 ? null : `The rows of the table ${table.name} have another checksum.`
}

/** Whether a database has no table yet, of anybody. */
export async function isEmptyDatabase(place: DatabasePlace): Promise<boolean> {
  if ('file' in place) return !existsSync(place.file)
  const db = openDatabase(place, { readOnly: true })
  try {
    const { rows } = await sql`
      select 1 from information_schema.tables where table_schema = current_schema() limit 1`.execute(db)
    return rows.length === 0
  } finally {
    await db.destroy()
  }
}

/** Throws a sentence when a PostgreSQL database has a table, of anybody, as seen by this transaction. */
export async function requireNoTables(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string; schema: string; database: string }>`
    select table_name as name, table_schema as schema, current_database() as database from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`.execute(db)
  const [first] = rows
  if (!first) return
  const others = rows.length > 1 ? ` and ${rows.length - 1} more` : ''
  throw new Error(
    `The PostgreSQL database ${first.database} is not empty: it has the table ${first.name}${others}. Create another database and set SLIPWAY_DATABASE_URL to it.`,
  )
}

/**
 * Takes all rows into an empty database: in one transaction, which is undone unless what is stored then is the same. The
 * migrations of SQLite are not part of it, so a file is the caller's to remove when this throws.
 */
export async function takeRows(place: DatabasePlace, dir: string, kept: KeptRows): Promise<void> {
  const db = openDatabase(place, { takesLong: true })
  try {
    if ('file' in place) await migrateTo(db, kept.migrations)
    await db.transaction().execute(async (tx) => {
      if ('url' in place) {
        // Looked at again now that nobody else writes, and until all is in: others may have been quicker.
        await requireNoTables(tx)
        await migrateTo(tx, kept.migrations)
      }
      await requireSameTables(tx, kept.tables)
      await insertInAnyOrder(tx, async () => {
        for (const table of kept.tables) await insertRows(tx, table, readRows(dir, table))
      })
      for (const table of kept.tables) {
        const { rows, sha256 } = table
        if (!isDeepStrictEqual(await digestOf(tx, table), { rows, sha256 }))
          throw new Error(`The table ${table.name} would not be what it was. Nothing was restored.`)
      }
    })
  } finally {
    await db.destroy()
  }
}

async function requireSameTables(db: Db, tables: readonly KeptTable[]): Promise<void> {
  const expected = tables.map(({ name, columns, key }): Table => ({ name, columns, key }))
  if (!isDeepStrictEqual(expected, await tablesOf(db)))
    throw new Error('The tables of the backup are not those of its version of Slipway. Nothing was restored.')
}

async function* readRows(dir: string, table: Table): AsyncGenerator<readonly Row[]> {
  const file = await open(fileOf(dir, table))
  try {
    let rows: Row[] = []
    for await (const line of file.readLines()) {
      rows.push(rowIn(line, table))
      if (rows.length < rowsAtOnce) continue
      yield rows
      rows = []
    }
    if (rows.length > 0) yield rows
  } finally {
    await file.close()
  }
}

/** Node ends lines at these characters too, and JSON leaves them as they are. */
const lineOf = ({ columns }: Table, row: Row): string =>
  `${JSON.stringify(columns.map((column) => row[column])).replaceAll(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'))}\n`

function rowIn(line: string, { columns }: Table): Row {
  const values: unknown = JSON.parse(line)
  if (!Array.isArray(values) || values.length !== columns.length)
    throw new Error('A line is no row of this table.')
  return Object.fromEntries(columns.map((column, index) => [column, values[index]]))
}
