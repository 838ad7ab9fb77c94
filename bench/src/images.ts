/** How long each boot image takes to be built and checked in a guest, and the room it takes: all from nothing. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { report } from './report.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Names of the recipes that are built here, what they build upon first. */
async function recipes(): Promise<string[]> {
  const dir = join(root, 'images')
  const found: { id: string; place: number; kind: string }[] = []
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const recipe = JSON.parse(await readFile(join(dir, entry.name, 'recipe.json'), 'utf8'))
    found.push({ id: entry.name, place: recipe.place, kind: recipe.kind })
  }
  const ours = found.filter(({ kind }) => kind !== 'foreign')
  return ours.sort((one, other) => one.place - other.place).map(({ id }) => id)
}

/** Room that the files take which came since `before`. */
async function grown(
  dir: string,
  before: ReadonlySet<string>,
): Promise<{ names: Set<string>; bytes: number }> {
  const names = new Set(await readdir(dir).catch(() => []))
  const fresh = [...names].filter((name) => !before.has(name))
  const sizes = await Promise.all(fresh.map(async (name) => (await stat(join(dir, name))).blocks * 512))
  return { names, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

export async function benchImages(): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-images-'))
  try {
    const figures = []
    let there: ReadonlySet<string> = new Set()
    for (const name of await recipes()) {
      const start = performance.now()
      await run(process.execPath, [join(root, 'packages/server/src/images.ts'), name], {
        env: { ...process.env, SLIPWAY_DATA_DIR: dataDir },
        maxBuffer: 1 << 24,
      })
      const seconds = (performance.now() - start) / 1000
      const { names, bytes } = await grown(join(dataDir, 'images/files'), there)
      there = names
      figures.push({ what: `${name}: built and checked`, value: seconds, unit: 's', goal: null })
      figures.push({ what: `${name}: room`, value: bytes / 1024 ** 2, unit: 'MiB', goal: null })
    }
    return report('Boot images, each upon what came before', figures)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
