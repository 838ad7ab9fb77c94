/**
 * Prints, as JSON, what lies in the data directory and belongs to no object: `npm run doctor` asks. Nothing is
 * removed, because it may be somebody's data.
 */
import { readConfig } from './config.ts'
import { isThere, openDatabase } from './db/open.ts'
import { readHoldings } from './engine/qemu/holdings.ts'

const { dataDir, database } = readConfig()

async function findOrphans() {
  // Without a database nothing can be said of anything.
  if (!isThere(database)) return []
  // Looked at before the database: what is made in between has its row by then.
  const holdings = await readHoldings(dataDir)
  const db = openDatabase(database, { readOnly: true })
  const known = new Set<string>()
  for (const table of ['vm', 'disk', 'vm_snapshot', 'disk_snapshot'] as const)
    for (const { id } of await db.selectFrom(table).select('id').execute()) known.add(id)
  // What a restore puts aside gets its row when the restore is done.
  for (const { restore_safety } of await db.selectFrom('vm').select('restore_safety').execute())
    if (restore_safety !== null) known.add(restore_safety)
  await db.destroy()
  return holdings.filter(({ id }) => !known.has(id))
}

console.log(JSON.stringify(await findOrphans()))
