import { Stop } from '../setup/run.mjs'
import { ensureWebBuild } from '../setup/web-build.mjs'
import { checkPageWeight } from './page-weight.mjs'
import { command } from './step.mjs'

/** Checks that only read the sources, quickest first. @type {import('./step.mjs').Step[]} */
export const readings = [
  // By default four checkers look at each project, and each of them at what all import.
  command('types', 'tsc', '-b', '--checkers', '1'),
  command('lint and format', 'biome', 'check', '.'),
  command('fences', 'node', 'scripts/fences.mjs'),
  command('catalogue', 'node', 'scripts/catalogue.mjs'),
  command('lock file', 'npm', 'ci', '--dry-run', '--ignore-scripts'),
  command('dead code', 'knip'),
  { name: 'console build', run: consoleBuild },
  { name: 'first pages', run: async () => checkPageWeight() },
]

async function consoleBuild() {
  try {
    await ensureWebBuild()
    return { ok: true }
  } catch (error) {
    if (error instanceof Stop) return { ok: false, output: error.message }
    throw error
  }
}
