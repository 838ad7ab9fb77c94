/**
 * `npm run images`: makes boot images ready ahead of their first use, or brings them into a cluster.
 * `node images.ts [--upload] [all | NAME ...]`, `node images.ts --prune`
 */
import { readConfig } from './config.ts'
import { type Recipe, readRecipes } from './image/recipe.ts'
import { pruneCluster, uploadToCluster } from './images-to-cluster.ts'
import { CommandError } from './lib/command.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { type Log, makeLog } from './lib/log.ts'
import { qemuFor } from './qemu.ts'

const quiet: Log = makeLog('silent')

async function main(args: string[]): Promise<boolean> {
  const config = readConfig()
  const isUpload = args.includes('--upload')
  const names = args.filter((arg) => arg !== '--upload')
  // Nobody says which images people will choose from.
  const wanted = isUpload && names.length === 0 ? ['all'] : names
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  const recipes = await readRecipes()
  if (wanted.includes('--prune')) return pruneCluster(config, recipes)
  const { images, engine, clearScratch } = qemuFor(config, recipes, quiet, 'imports-by-hand')
  await clearScratch()
  await images.open()
  const idOf = (recipe: Recipe) => (recipe.kind === 'foreign' ? recipe.url : recipe.id)

  if (wanted.length === 0) {
    for (const recipe of recipes) {
      const { state } = await images.look(idOf(recipe))
      console.log(
        `${recipe.id.padEnd(20)} ${recipe.name.padEnd(34)} ${state === 'ready' ? 'ready' : 'not built yet'}`,
      )
    }
    console.log('\nBuild an image with `npm run images -- NAME`, or all images with `npm run images -- all`.')
    return true
  }

  const all = wanted.includes('all')
  const unknown = wanted.filter((name) => name !== 'all' && !recipes.some(({ id }) => id === name))
  if (unknown.length > 0) {
    console.error(
      `Unknown image: ${unknown.join(', ')}. Available images: ${recipes.map(({ id }) => id).join(', ')}.`,
    )
    return false
  }
  const chosen = recipes.filter(({ id }) => all || wanted.includes(id))
  const end = () => void images.close().then(() => process.exit(130))
  process.once('SIGINT', end)
  process.once('SIGTERM', end)

  if (isUpload)
    return uploadToCluster(config, recipes, chosen, images, tellProgress).finally(() => engine.close())

  let good = true
  for (const recipe of chosen) {
    const startedAt = Date.now()
    const stopTelling = tellProgress(() => images.ensure(idOf(recipe)))
    try {
      await images.use(idOf(recipe))
      console.log(`${recipe.name}: ready (${seconds(startedAt)})`)
    } catch (error) {
      // What others offer cannot be had everywhere; with `all` that is told, and no failure of ours.
      if (!(all && recipe.kind === 'foreign')) good = false
      console.error(
        `${recipe.name}: NOT ready. ${error instanceof Error ? error.message : error}\n${wordsOf(error)}`,
      )
    } finally {
      stopTelling()
    }
  }
  await engine.close()
  return good
}

/** Says every now and then what is under way; nothing when it is soon done. */
function tellProgress(
  look: () => Promise<{ state: string; what?: string; progress?: number | null }>,
): () => void {
  let last = ''
  const timer = setInterval(async () => {
    const { what, progress } = await look()
    const line = what && `${what}${progress == null ? ' …' : `: ${Math.floor(progress * 10) * 10} %`}`
    if (line && line !== last) console.log(line)
    last = line || last
  }, 1000)
  return () => clearInterval(timer)
}

/** The last words of the program that failed, indented. */
function wordsOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  const text = cause instanceof CommandError ? cause.stderr : cause instanceof Error ? cause.message : ''
  return text.trim().split('\n').slice(-30).join('\n').replaceAll(/^/gm, '  ')
}

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(0)} s`

main(process.argv.slice(2)).then(
  (good) => {
    process.exitCode = good ? 0 : 1
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  },
)
