/** `npm run restore`: restores a backup into an empty data directory and an empty database. `node restore.ts DIR | --repository [ID]` */
import path from 'node:path'
import { noRepository } from './backup/desk.ts'
import { makeRepository } from './backup/repository.ts'
import { requireEmptyPlaces, restoreBackup, restoreOutside } from './backup/restore.ts'
import { type Config, readConfig } from './config.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { ownDirectory } from './lib/own-directory.ts'

/** Restores the backup of an id, or the newest. */
async function restoreFromRepository(config: Config, id: string | undefined, signal: AbortSignal) {
  if (config.backup === null) throw new Error(noRepository)
  // Nothing is kept of it: the data directory has to be empty.
  const repository = makeRepository(config.backup, null)
  await repository.open(signal)
  const backups = await repository.list(signal)
  const backup = id === undefined ? backups.at(-1) : backups.find((one) => one.id === id)
  if (!backup)
    throw new Error(
      id === undefined
        ? `The repository ${config.backup.repository} has no complete backup.`
        : `The repository ${config.backup.repository} has no complete backup ${id}. List them: npm run backup -- --list`,
    )
  console.log(`Restoring backup ${backup.id} of ${backup.madeAt}, made of ${backup.home}.`)
  return restoreOutside(repository, backup, config, signal)
}

async function main(args: string[]): Promise<void> {
  const [name, id, ...more] = args
  const isOutside = name === '--repository'
  if (name === undefined || more.length > 0 || (!isOutside && (id !== undefined || name.startsWith('-'))))
    throw new Error(
      'Name the directory of the backup, or a backup in the configured repository: npm run restore -- DIR | --repository [ID]',
    )
  const config = readConfig()
  await requireEmptyPlaces(config.dataDir, config.database)
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  const ends = new AbortController()
  process.once('SIGINT', () => ends.abort())
  process.once('SIGTERM', () => ends.abort())
  const giveUp = await ownDirectory(config.dataDir)
  try {
    const { made_at, left_out } = isOutside
      ? await restoreFromRepository(config, id, ends.signal)
      : await restoreBackup(path.resolve(name), config, ends.signal)
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
