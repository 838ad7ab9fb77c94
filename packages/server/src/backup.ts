/** `npm run backup`: writes a backup of everything, also while the server runs. `node backup.ts DIR | --repository` */
import path from 'node:path'
import {
  askForBackup,
  noRepository,
  outsideSummaryOf,
  type Question,
  type Summary,
  summaryOf,
} from './backup/desk.ts'
import { inWords } from './backup/files.ts'
import { makeOutside } from './backup/outside.ts'
import { makeRepository } from './backup/repository.ts'
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

const usage =
  'Name one directory for the backup, or the configured repository: npm run backup -- DIR | --repository | --list | --check | --init'

/** Without a server this program is alone with the guests, by the lock of the data directory. */
async function writeHere(
  config: Config,
  asked: Question,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Summary> {
  requireComplete(config.dataDir)
  if ('url' in config.database && config.engine === 'qemu')
    await requireHome(config.database.url, await directoryIdIfAny(config.dataDir))
  const engine = await openEngine(config, await readRecipes(), makeLog('silent'))
  try {
    const work = {
      signal,
      onProgress: (fraction: number | null) => fraction !== null && onProgress(fraction),
    }
    const installation = { ...config, engine }
    if ('dir' in asked) return summaryOf(await writeBackup(installation, asked.dir, work))
    const outside = makeOutside(installation, requireConfigured(config), makeLog('silent'))
    return outsideSummaryOf(await outside.make(work))
  } finally {
    await engine.close()
  }
}

function requireConfigured({ backup }: Config) {
  if (backup === null) throw new Error(noRepository)
  return backup
}

async function makeBackup(config: Config, asked: Question, ends: AbortController): Promise<void> {
  if (!isThere(config.database))
    throw new Error(`No database found in ${config.dataDir}. Set SLIPWAY_DATA_DIR.`)
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  const onProgress = tellEveryTenth()
  const giveUp = await ownDirectory(config.dataDir).catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return null
    throw error
  })
  let made: Summary
  if (giveUp) {
    // A server that is asked hears that its socket closes.
    endOnSignal(ends)
    made = await writeHere(config, asked, ends.signal, onProgress).finally(giveUp)
  } else {
    made = await askForBackup(config.dataDir, asked, onProgress)
  }
  const size = `${made.files} files, ${inWords(made.bytes)}`
  if ('dir' in asked) console.log(`Backup written to ${asked.dir} and verified: ${size}.`)
  else if (made.outside) {
    const { id, added_bytes, removed } = made.outside
    console.log(
      `Backup ${id} is in the repository and checked: ${size}. The repository grew by ${inWords(added_bytes)}.`,
    )
    if (removed > 0) console.log(`Backups removed because they were too old: ${removed}`)
  }
  if (made.left_out.length === 0) return
  console.log('Left out:')
  for (const one of made.left_out) console.log(`  ${one.type} ${one.name} (${one.id}): ${one.reason}`)
  process.exitCode = SOME_LEFT_OUT
}

function endOnSignal(ends: AbortController): void {
  process.once('SIGINT', () => ends.abort())
  process.once('SIGTERM', () => ends.abort())
}

/** What concerns the repository alone, whether a server runs or not. */
async function useRepository(config: Config, option: string, ends: AbortController): Promise<void> {
  const place = requireConfigured(config)
  // What this remembers of it belongs into the data directory of a server only.
  const repository = makeRepository(place, null)
  const { signal } = ends
  endOnSignal(ends)
  if (option === '--init') {
    await repository.create(signal)
    console.log(
      `Created the repository ${place.repository}. Keep a copy of its password elsewhere: nothing can be restored without it.`,
    )
    return
  }
  await repository.open(signal)
  if (option === '--check') {
    await repository.check({ data: true, signal })
    console.log('Everything in the repository was read and is whole.')
    return
  }
  const backups = await repository.list(signal)
  if (backups.length === 0) console.log(`The repository ${place.repository} has no backup yet.`)
  for (const { id, madeAt, home, bytes, files, leftOut } of backups)
    console.log(
      [id, madeAt, home, `${files} files, ${inWords(bytes)}`, leftOut > 0 ? `${leftOut} left out` : '']
        .join('  ')
        .trimEnd(),
    )
}

async function main(args: string[]): Promise<void> {
  const [name, ...more] = args
  if (name === undefined || more.length > 0) throw new Error(usage)
  const config = readConfig()
  const ends = new AbortController()
  if (['--list', '--check', '--init'].includes(name)) return useRepository(config, name, ends)
  if (name === '--repository') {
    requireConfigured(config)
    return makeBackup(config, { outside: true }, ends)
  }
  if (name.startsWith('-')) throw new Error(usage)
  return makeBackup(config, { dir: path.resolve(name) }, ends)
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
