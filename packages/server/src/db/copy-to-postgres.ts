/** Takes an installation from SQLite into an empty PostgreSQL: all of it, proved to be the same, or nothing. */

import { isDeepStrictEqual } from 'node:util'
import { requireNoTables } from './kept-rows.ts'
import { migrate, migrationsOf } from './migrate.ts'
import { type Db, openDatabase } from './open.ts'
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

export interface Copied extends Digest {
  table: string
}

/**
 * Copies every table of a SQLite file, which is only read, into the database that a URL names. It is one transaction
 * there, which is undone when counts or checksums of what was read and what is stored then differ. Throws a sentence
 * that says what to do. The caller owns the file's directory; of the database the transaction makes sure: others that copy
 * into it, and servers that start on it, wait for its end and see what it did.
 */
export async function copyToPostgres(source: { file: string }, target: { url: string }): Promise<Copied[]> {
  const [from, to] = [openDatabase(source, { readOnly: true }), openDatabase(target, { takesLong: true })]
  try {
    await checkVersion(from, source.file)
    // One moment of the source: others may write with tools of their own.
    return await from.transaction().execute((reader) =>
      to.transaction().execute(async (tx) => {
        await requireNoTables(tx)
        await migrate(tx, null)
        return copyTables(reader, tx)
      }),
    )
  } finally {
    await from.destroy()
    await to.destroy()
  }
}

/** A copy is made between databases of one schema, and the migrations of a file are for the server to do. */
async function checkVersion(db: Db, file: string): Promise<void> {
  const { waiting, unknown } = await migrationsOf(db)
  if (unknown.length > 0) {
    throw new Error(
      `${file} was written by a newer version of Slipway (it has ${unknown.join(', ')}). Copy with that version.`,
    )
  }
  if (waiting.length > 0) {
    throw new Error(
      `${file} was written by an earlier version of Slipway (it lacks ${waiting.join(', ')}). Start the server of this version once without SLIPWAY_DATABASE_URL, stop it, then copy again.`,
    )
  }
}

/** Copies all rows between databases that have the same tables. */
export async function copyTables(from: Db, to: Db): Promise<Copied[]> {
  const tables = await tablesOf(from)
  if (!isDeepStrictEqual(tables, await tablesOf(to)))
    throw new Error('The tables of the two databases differ, so nothing was copied.')
  const read = new Map<Table, Digest>()
  await insertInAnyOrder(to, async () => {
    for (const table of tables) read.set(table, await copyRows(from, to, table))
  })
  const copied: Copied[] = []
  for (const [table, expected] of read) {
    const stored = await digestOf(to, table)
    if (!isDeepStrictEqual(stored, expected)) throw new Error(different(table, expected, stored))
    copied.push({ table: table.name, ...stored })
  }
  return copied
}

async function copyRows(from: Db, to: Db, table: Table): Promise<Digest> {
  const digest = makeDigest(table)
  async function* counted(): AsyncGenerator<readonly Row[]> {
    for await (const rows of rowsOf(from, table)) {
      digest.add(rows)
      yield rows
    }
  }
  await insertRows(to, table, counted()).catch((error: unknown) => {
    throw new Error(
      `The table ${table.name} could not be copied: ${error instanceof Error ? error.message : error}. Nothing was changed.`,
      { cause: error },
    )
  })
  return digest.result()
}

const different = ({ name }: Table, expected: Digest, stored: Digest) =>
  expected.rows === stored.rows
    ? `The copy of the table ${name} has another checksum than the original. Nothing was changed. Report this as a bug.`
    : `The copy of the table ${name} has ${stored.rows} rows and the original ${expected.rows}. Nothing was changed. Report this as a bug.`
