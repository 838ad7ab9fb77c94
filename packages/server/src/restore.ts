/** `npm run restore`: restores a backup into an empty data directory and an empty database. `node restore.ts DIR` */
import path from 'node:path'
import { requireEmptyPlaces, restoreBackup } from './backup/restore.ts'
import { readConfig } from './config.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { ownDirectory } from './lib/own-directory.ts'

async function main(args: string[]): Promise<void> {
  const [name, ...more] = args
  if (name === undefined || more.length > 0)
    throw new Error('Name the directory of the backup: npm run restore -- DIR')
  const dir = path.resolve(name)
  const config = readConfig()
  await requireEmptyPlaces(config.dataDir, config.database)
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  const ends = new AbortController()
  process.once('SIGINT', () => ends.abort())
  process.once('SIGTERM', () => ends.abort())
  const giveUp = await ownDirectory(config.dataDir)
  try {
    const { made_at, left_out } = await restoreBackup(dir, config, ends.signal)
    console.log(`Restored the backup of ${made_at} to ${config.dataDir}. Start the server.`)
    if (left_out.length > 0)
      console.log('These objects were not part of it, and will be shown without their data:')
    for (const one of left_out) console.log(`  ${one.type} ${one.name} (${one.id}): ${one.reason}`)
  } finally {
    await giveUp()
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
