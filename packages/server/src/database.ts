/**
 * `npm run database -- copy`: takes everything that is stored in the data directory's SQLite file into PostgreSQL.
 * `npm run database -- adopt`: makes the data directory the one whose server drives the VMs of a PostgreSQL database.
 */
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { type Copied, copyToPostgres } from './db/copy-to-postgres.ts'
import { adoptHome } from './db/lease-home.ts'
import { isThere } from './db/open.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { directoryId } from './lib/directory-id.ts'
import { ownDirectory } from './lib/own-directory.ts'

const usage = `Usage: npm run database -- copy
       npm run database -- adopt

copy   Copies everything that is stored in the SQLite file of SLIPWAY_DATA_DIR into the empty PostgreSQL database of
       SLIPWAY_DATABASE_URL. The server must be stopped. The file is not changed.
adopt  Makes the VMs in the PostgreSQL database of SLIPWAY_DATABASE_URL belong to SLIPWAY_DATA_DIR, when that has
       replaced the data directory they belonged to. All servers on the database must be stopped.`

async function copy(): Promise<void> {
  const { dataDir, database, sqlite } = readConfig()
  if (!('url' in database)) throw new Error('Set SLIPWAY_DATABASE_URL to an empty PostgreSQL database.')
  if (!isThere(sqlite)) throw new Error(`No SQLite database found in ${dataDir}. Set SLIPWAY_DATA_DIR.`)
  for (const problem of await openDataDirectory(dataDir)) console.error(problem)
  const giveUpDirectory = await ownDirectory(dataDir)
  try {
    report(await copyToPostgres(sqlite, database))
  } finally {
    await giveUpDirectory()
  }
  console.log(
    `Start the server with the same SLIPWAY_DATABASE_URL. It no longer uses ${sqlite.file}, which was not changed.`,
  )
}

async function adopt(): Promise<void> {
  const { dataDir, database } = readConfig()
  if (!('url' in database))
    throw new Error('Set SLIPWAY_DATABASE_URL. A SQLite database always belongs to its data directory.')
  for (const problem of await openDataDirectory(dataDir)) console.error(problem)
  const giveUpDirectory = await ownDirectory(dataDir)
  try {
    await adoptHome(database.url, await directoryId(dataDir), console.log)
  } finally {
    await giveUpDirectory()
  }
  console.log('Done. Start the server.')
}

function report(copied: Copied[]): void {
  const width = Math.max(...copied.map(({ table }) => table.length))
  for (const { table, rows } of copied) console.log(`${table.padEnd(width)} ${String(rows).padStart(9)}`)
  const rows = copied.reduce((sum, table) => sum + table.rows, 0)
  console.log(
    `Copied ${rows} rows of ${copied.length} tables; counts and checksums of all of them are equal.`,
  )
}

async function main(): Promise<void> {
  const [command = '', ...more] = parseArgs({ allowPositionals: true }).positionals
  const act = new Map([
    ['copy', copy],
    ['adopt', adopt],
  ]).get(command)
  if (!act || more.length > 0) throw new Error(usage)
  await act()
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
