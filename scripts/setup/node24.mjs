import { spawnSync } from 'node:child_process'
import { Stop } from './run.mjs'
import { inTree } from './tree.mjs'

/**
 * The Node that runs the server: the one npm installed (Linux on x64 and arm64), else the one that runs this
 * script if it is new enough. Throws a Stop when neither will do.
 */
export function node24() {
  const own = inTree('node_modules', `node-${process.platform}-${process.arch}`, 'bin/node')
  for (const node of [own, process.execPath]) if (majorOf(node) >= 24) return node
  throw new Stop(
    `Node: Slipway needs Node 24 or newer and this is ${process.version} on ${process.platform}-${process.arch}. ` +
      'npm brings it along on Linux (x64, arm64; not with --omit=optional); elsewhere install it from https://nodejs.org.',
  )
}

/** The version a Node binary tells, or null when it does not run here. */
export function versionOf(node) {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

const majorOf = (node) => Number(versionOf(node)?.match(/^v(\d+)/)?.[1] ?? 0)
