/** `npm run backup`: writes a backup of everything, also while the server runs. `node backup.ts DIR` */
import path from 'node:path'
import { askForBackup, type Summary, summaryOf } from './backup/desk.ts'
import { inWords } from './backup/files.ts'
import { requireComplete } from './backup/restore.ts'
import { writeBackup } from './backup/write.ts'
import { type Config, readConfig } from './config.ts'
import { requireHome } from './db/lease-home.ts'
import { isThere } from './db/open.ts'
import { readRecipes } from './image/recipe.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { directoryIdIfAny } from './lib/directory-id.ts'
import { makeLog } from './lib/log.ts'
import { DirectoryInUse, ownDirectory } from './lib/own-directory.ts'
import { openEngine } from './open-engine.ts'

/** Of a backup that is complete but for objects that it names. */
const SOME_LEFT_OUT = 2

/** Without a server this program is alone with the guests, by the lock of the data directory. */
async function writeHere(
  config: Config,
  dir: string,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Summary> {
  requireComplete(config.dataDir)
  if ('url' in config.database && config.engine === 'qemu')
    await requireHome(config.database.url, await directoryIdIfAny(config.dataDir))
  const engine = await openEngine(config, await readRecipes(), makeLog('silent'))
  try {
    const tell = (fraction: number | null) => fraction !== null && onProgress(fraction)
    return summaryOf(await writeBackup({ ...config, engine }, dir, { signal, onProgress: tell }))
  } finally {
    await engine.close()
  }
}

async function main(args: string[]): Promise<void> {
  const [name, ...more] = args
  if (name === undefined || more.length > 0)
    throw new Error('Name one directory for the backup: npm run backup -- DIR')
  const dir = path.resolve(name)
  const config = readConfig()
  if (!isThere(config.database))
    throw new Error(`No database found in ${config.dataDir}. Set SLIPWAY_DATA_DIR.`)
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  const ends = new AbortController()
  const onProgress = tellEveryTenth()
  const giveUp = await ownDirectory(config.dataDir).catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return null
    throw error
  })
  let made: Summary
  if (giveUp) {
    // A server that is asked hears that its socket closes.
    process.once('SIGINT', () => ends.abort())
    process.once('SIGTERM', () => ends.abort())
    made = await writeHere(config, dir, ends.signal, onProgress).finally(giveUp)
  } else {
    made = await askForBackup(config.dataDir, dir, onProgress)
  }
  console.log(`Backup written to ${dir} and verified: ${made.files} files, ${inWords(made.bytes)}.`)
  if (made.left_out.length === 0) return
  console.log('Left out:')
  for (const one of made.left_out) console.log(`  ${one.type} ${one.name} (${one.id}): ${one.reason}`)
  process.exitCode = SOME_LEFT_OUT
}

function tellEveryTenth(): (fraction: number) => void {
  let told = 0
  return (fraction) => {
    const tenth = Math.floor(fraction * 10)
    if (tenth > told) console.log(`Copying: ${tenth * 10} %`)
    told = Math.max(told, tenth)
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
