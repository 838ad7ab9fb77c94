/**
 * Everything that is stored, table by table, whichever database has it: for what copies or keeps all of it. The tables
 * are read from the database itself, so that one that a later migration adds is never left out.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from './open.ts'
import { isPostgres } from './postgres.ts'
import type { Schema } from './schema.ts'

export interface Table {
  name: string
  /** In the order of their names. */
  columns: readonly string[]
  /** The columns of the primary key. */
  key: readonly string[]
}

/** What repos store: text, numbers and null. */
export type Row = Readonly<Record<string, string | number | null>>

/**
 * What servers that run say to each other. It is no part of the installation, and where that is copied or restored to
 * there are other servers: their lease is free, belongs to no data directory yet, and their count begins anew.
 */
const ofServers = new Set<string>(['lease', 'revision'] satisfies (keyof Schema)[])

/** How many rows a table has, and SHA-256 of all of them. */
export interface Digest {
  rows: number
  sha256: string
}

/** Rows that are in memory at a time. SQLite binds 32,766 values in a statement. */
const rowsAtOnce = 200

/** All tables of the installation, in the order of their names: without the migrator's own, and what servers say to each other. */
export async function tablesOf(db: Db): Promise<Table[]> {
  const { rows } = await (isPostgres(db) ? columnsInPostgres : columnsInSqlite).execute(db)
  const tables = Map.groupBy(
    rows.filter((row) => !ofServers.has(row.table)),
    (row) => row.table,
  )
  return [...tables].sort(by(([name]) => name)).map(([name, columns]) => {
    const key = columns
      .filter(({ place }) => place !== null)
      .sort((a, b) => Number(a.place) - Number(b.place))
    if (key.length === 0) throw new Error(`The table ${name} has no primary key, so its rows have no order.`)
    return {
      name,
      columns: columns.map(({ column }) => column).sort(by((column) => column)),
      key: key.map(({ column }) => column),
    }
  })
}

const by =
  <T>(textOf: (one: T) => string) =>
  (a: T, b: T) =>
    textOf(a) < textOf(b) ? -1 : 1

interface Column {
  table: string
  column: string
  /** Where it stands in the primary key; null when it is not part of it. */
  place: number | null
}

const columnsInSqlite = sql<Column>`
  select t.name as "table", c.name as "column", nullif(c.pk, 0) as place
  from sqlite_master t, pragma_table_info(t.name) c
  where t.type = 'table' and t.name not like 'sqlite%' and t.name not like 'kysely%'`

const columnsInPostgres = sql<Column>`
  select t.relname as "table", c.attname as "column", array_position(k.indkey::int2[], c.attnum) as place
  from pg_class t
  join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
  left join pg_index k on k.indrelid = t.oid and k.indisprimary
  where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and t.relname not like 'kysely%'`

/**
 * The rows of a table in the order of its primary key, which is the same in both databases, a few at a time. They are
 * those of one moment only within a transaction that sees one.
 */
export async function* rowsOf(db: Db, { name, columns, key }: Table): AsyncGenerator<readonly Row[]> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  let last: Row | undefined
  do {
    const after = last && sql.join(key.map((column) => last?.[column]))
    const { rows } = await sql<Row>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)}
      ${after ? sql`where (${keyColumns}) > (${after})` : sql``}
      order by ${keyColumns} limit ${rowsAtOnce}`.execute(db)
    if (rows.length > 0) yield rows
    last = rows.length < rowsAtOnce ? undefined : rows.at(-1)
  } while (last)
}

/** Counts rows and sums them up as they pass; equal in both databases when the rows are. */
export function makeDigest(table: Table) {
  const hash = createHash('sha256')
  let count = 0
  return {
    add(rows: readonly Row[]): void {
      count += rows.length
      for (const row of rows) hash.update(`${canonical(table, row)}\n`)
    },
    result: (): Digest => ({ rows: count, sha256: hash.copy().digest('hex') }),
  }
}

export async function digestOf(db: Db, table: Table): Promise<Digest> {
  const digest = makeDigest(table)
  for await (const rows of rowsOf(db, table)) digest.add(rows)
  return digest.result()
}

/** One line of JSON: the values in the order of the columns' names. */
function canonical({ name, columns }: Table, row: Row): string {
  const values = columns.map((column) => row[column])
  for (const [i, value] of values.entries()) {
    if (value === null || typeof value === 'string' || Number.isFinite(value)) continue
    throw new Error(`${name}.${columns[i]} holds what is neither text nor a number.`)
  }
  return JSON.stringify(values)
}

/**
 * Inserts rows of all tables in any order: what they refer to is looked for when `insert` has come to its end (in
 * SQLite: when the transaction has). Numbers that the database gives out go on after the highest inserted one.
 */
export async function insertInAnyOrder(tx: Db, insert: () => Promise<void>): Promise<void> {
  if (!isPostgres(tx)) {
    await sql`pragma defer_foreign_keys=on`.execute(tx)
    return insert()
  }
  // Some may be deferrable always, and stay so.
  const strict = await strictReferences(tx)
  await alterReferences(tx, strict, 'deferrable initially deferred')
  await insert()
  await sql`set constraints all immediate`.execute(tx)
  await alterReferences(tx, strict, 'not deferrable')
  await continueNumbers(tx)
}

/** Part of what {@link insertInAnyOrder} is given to do. */
export async function insertRows(
  tx: Db,
  { name, columns, key }: Table,
  rows: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  // Numbers that the database gives out are kept as they are.
  const overriding = isPostgres(tx) ? sql`overriding system value` : sql``
  for await (const some of rows) {
    if (isPostgres(tx)) for (const row of some) refuseNull({ name, columns, key }, row)
    const values = some.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    await sql`insert into ${sql.table(name)} (${names}) ${overriding} values ${sql.join(values)}`.execute(tx)
  }
}

/** PostgreSQL stores no null character, and would not say which row has one. SQLite stored those of old requests. */
function refuseNull({ name, columns, key }: Table, row: Row): void {
  for (const column of columns) {
    const value = row[column]
    if (typeof value !== 'string' || !value.includes('\0')) continue
    const where = key.map((part) => `${part} = '${row[part]}'`).join(' and ')
    throw new Error(
      `${column} has a null character, which PostgreSQL cannot store. To cut the text off there: update ${name} set ${column} = substr(${column}, 1, instr(${column}, char(0)) - 1) where ${where}`,
    )
  }
}

type Reference = { table: string; name: string }

/** The references that are looked at with each statement. */
async function strictReferences(tx: Db): Promise<Reference[]> {
  const { rows } = await sql<Reference>`
    select t.relname as "table", r.conname as name from pg_constraint r join pg_class t on t.oid = r.conrelid
    where r.contype = 'f' and not r.condeferrable
      and r.connamespace = current_schema()::regnamespace`.execute(tx)
  return rows
}

async function alterReferences(
  tx: Db,
  references: readonly Reference[],
  how: 'deferrable initially deferred' | 'not deferrable',
): Promise<void> {
  for (const { table, name } of references)
    await sql`alter table ${sql.table(table)} alter constraint ${sql.ref(name)} ${sql.raw(how)}`.execute(tx)
}

async function continueNumbers(tx: Db): Promise<void> {
  // The sequence is asked for in what is selected alone, which is worked out for rows that have passed all conditions.
  // As a condition, PostgreSQL may ask it of other schemas' tables first, and those are not found by their name.
  const { rows } = await sql<{ table: string; column: string; sequence: string | null }>`
    select t.relname as "table", a.attname as "column",
      pg_get_serial_sequence(quote_ident(t.relname), a.attname) as sequence
    from pg_attribute a join pg_class t on t.oid = a.attrelid
    where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped`.execute(tx)
  for (const { table, column, sequence } of rows) {
    if (sequence === null) continue
    await sql`select setval(${sequence}, max(${sql.ref(column)})) from ${sql.table(table)}
      having max(${sql.ref(column)}) is not null`.execute(tx)
  }
}
