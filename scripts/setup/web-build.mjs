import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { run, Stop, say } from './run.mjs'
import { filesUnder, hashOf, inTree } from './tree.mjs'

/** Builds the console into packages/web/dist unless that was built from these very sources. */
export async function ensureWebBuild() {
  const stamp = inTree('.cache/web-build')
  const sources = hashOf([
    ...filesUnder(inTree('packages/web')),
    ...filesUnder(inTree('packages/contract')),
    ...filesUnder(inTree('packages/client')),
    inTree('package-lock.json'),
  ])
  const built = existsSync(inTree('packages/web/dist/index.html')) && existsSync(stamp)
  if (built && readFileSync(stamp, 'utf8') === sources) return
  say('Console: building its pages from packages/web …')
  // Without the stamp a build that is cut short counts as none.
  rmSync(stamp, { force: true })
  const { code, output } = await run('npm', ['run', 'build', '--workspace=@slipway/web'], { quiet: true })
  if (code !== 0) throw new Stop(`${output}\nConsole: the build failed.`)
  mkdirSync(inTree('.cache'), { recursive: true })
  writeFileSync(stamp, sources)
}
