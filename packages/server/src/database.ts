/** `npm run database -- copy`: takes everything that is stored in the data directory's SQLite file into PostgreSQL. */
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { type Copied, copyToPostgres } from './db/copy-to-postgres.ts'
import { isThere, ownDatabase } from './db/open.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { ownDirectory } from './lib/own-directory.ts'

const usage = `Usage: npm run database -- copy

Copies everything that is stored in the SQLite file of SLIPWAY_DATA_DIR into the empty PostgreSQL database of
SLIPWAY_DATABASE_URL. The server must be stopped. The file is not changed.`

async function copy(): Promise<void> {
  const { dataDir, database, sqlite } = readConfig()
  if (!('url' in database)) throw new Error('Set SLIPWAY_DATABASE_URL to an empty PostgreSQL database.')
  if (!isThere(sqlite)) throw new Error(`No SQLite database found in ${dataDir}. Set SLIPWAY_DATA_DIR.`)
  for (const problem of await openDataDirectory(dataDir)) console.error(problem)
  const giveUpDirectory = await ownDirectory(dataDir)
  try {
    const giveUpDatabase = await ownDatabase(database, (reason) => {
      console.error(reason)
      process.exit(1)
    })
    try {
      report(await copyToPostgres(sqlite, database))
    } finally {
      await giveUpDatabase()
    }
  } finally {
    await giveUpDirectory()
  }
  console.log(
    `Start the server with the same SLIPWAY_DATABASE_URL. It no longer uses ${sqlite.file}, which was not changed.`,
  )
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
  const { positionals } = parseArgs({ allowPositionals: true })
  if (positionals.join(' ') !== 'copy') throw new Error(usage)
  await copy()
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
