import { existsSync, readFileSync } from 'node:fs'
import { run, Stop, say } from './run.mjs'
import { inTree } from './tree.mjs'

/** Installs the npm packages of package-lock.json unless node_modules already holds exactly those. */
export async function ensureNpmPackages() {
  if (isInstalled()) return
  say(
    'npm packages: installing what package-lock.json names; the server and the console are built from them …',
  )
  const { code, output } = await run('npm', ['ci', '--loglevel=error'], { quiet: true })
  if (code !== 0) throw new Stop(`${output}\nnpm packages: "npm ci" failed. Is the npm registry reachable?`)
}

/**
 * Whether node_modules holds what package-lock.json names. npm writes node_modules/.package-lock.json last, so that
 * file tells what a finished install left there.
 */
export function isInstalled() {
  const record = inTree('node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  const installed = packagesOf(record)
  return Object.entries(packagesOf(inTree('package-lock.json'))).every(([path, wanted]) => {
    const found = installed[path]
    // Packages for other processors and systems stay out; the workspaces themselves are not installed.
    if (!found) return wanted.optional === true || !path.includes('node_modules/')
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

const packagesOf = (lock) => JSON.parse(readFileSync(lock, 'utf8')).packages
