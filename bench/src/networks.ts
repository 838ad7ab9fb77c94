/** Very many project networks on one host: what the next one takes, what looking after all of them takes, and their memory. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Figure, report } from './report.ts'

const root = join(import.meta.dirname, '../..')
const count = process.argv.includes('--quick') ? 5 : 200

/** What `measure-networks.ts` prints, in milliseconds and mebibytes. */
interface Measured {
  all: number
  first: number
  last: number
  look: number
  memory: number
  removed: number
}

export async function benchNetworks(): Promise<boolean> {
  const program = join(root, 'packages/server/src/measure-networks.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, `${count}`])
  // Ours, in the line before.
  const measured = JSON.parse(stdout) as Measured
  const figure = (what: string, value: number, unit: string): Figure => ({ what, value, unit, goal: null })
  return report(`${count} project networks on one host`, [
    figure('all made, one after the other', measured.all / 1000, 's'),
    figure('the first', measured.first, 'ms'),
    figure('the last', measured.last, 'ms'),
    figure('a look at all of them', measured.look, 'ms'),
    figure('memory of their name servers', measured.memory, 'MiB'),
    figure('the same, each', measured.memory / count, 'MiB'),
    figure('all removed', measured.removed, 'ms'),
  ])
}
