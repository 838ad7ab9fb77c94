import { Stop } from '../setup/run.mjs'
import { ensureWebBuild } from '../setup/web-build.mjs'
import { checkPageWeight } from './page-weight.mjs'
import { vitest } from './runners.mjs'
import { command } from './step.mjs'

/** What is read from the sources alone, quickest first. @type {import('./step.mjs').Step[]} */
export const readings = [
  command('types', 'tsc', '-b'),
  command('lint and format', 'biome', 'check', '.'),
  command('fences', 'node', 'scripts/fences.mjs'),
  command('catalogue', 'node', 'scripts/catalogue.mjs'),
  command('lock file', 'npm', 'ci', '--dry-run', '--ignore-scripts'),
  command('dead code', 'knip'),
  { name: 'console build', run: consoleBuild },
  { name: 'first pages', run: async () => checkPageWeight() },
]

/** The tests that need neither guests nor browsers. @param {{ niceness?: number, workers?: string }} [options] as of {@link vitest} */
export const unitTests = (options) =>
  vitest('unit and API tests', {
    ...options,
    args: [
      '--project=!qemu',
      '--project=!images',
      '--project=!round',
      '--project=!postgres',
      '--project=!cluster',
      '--project=!screens*',
    ],
  })

/** The screens of the console in a browser, against the API in the process of the tests. */
export const screenTests = vitest('tests of screens', { args: ['--project=screens*'], label: 'screens' })

async function consoleBuild() {
  try {
    await ensureWebBuild()
    return { ok: true }
  } catch (error) {
    if (error instanceof Stop) return { ok: false, output: error.message }
    throw error
  }
}
