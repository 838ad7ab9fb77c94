import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the group and everybody else may do. */
const OTHERS = 0o077

const modeOf = (mode) => (mode & 0o7777).toString(8).padStart(4, '0')

/**
 * What other users of this machine can get at in a data directory: the directory itself, and what lies directly in it.
 * The server closes both whenever it starts, where it can.
 * @param {string} dir
 * @returns {{ path: string, mode: string }[]} modes as `ls` and `chmod` know them, `0755` for one
 */
export function openToOthers(dir) {
  const { mode } = statSync(dir)
  // Behind a closed door it does not matter who may do what.
  if ((mode & OTHERS) === 0) return []
  const within = readdirSync(dir)
    .map((name) => ({ path: join(dir, name), stat: lstatSync(join(dir, name)) }))
    .filter(({ stat }) => !stat.isSymbolicLink() && (stat.mode & OTHERS) !== 0)
    .map(({ path, stat }) => ({ path, mode: modeOf(stat.mode) }))
  return [{ path: dir, mode: modeOf(mode) }, ...within]
}

/** As many as the server makes, see packages/server/src/lib/ballast.ts. */
const PIECES = 8

/**
 * How many pieces of the ballast for a full disk were given up; null where a server has made none yet.
 * @param {string} dir
 * @returns {number | null}
 */
export function missingBallast(dir) {
  const made = [join(dir, 'ballast'), join(dir, 'machines', '.ballast')].filter((folder) =>
    existsSync(folder),
  )
  if (made.length === 0) return null
  const held = made.map((folder) => readdirSync(folder).filter((name) => /^\d$/.test(name)).length)
  return held.reduce((missing, pieces) => missing + PIECES - pieces, 0)
}
