import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A PostgreSQL of its own, in a temporary directory and without a port. */
export interface Postgres {
  url: string
  /** Ends it as a host that goes down does: connections break at once. */
  stop: () => Promise<void>
  start: () => Promise<void>
  /** Ends it and removes all that it stored. */
  remove: () => Promise<void>
}

/**
 * Starts Debian's PostgreSQL. It forgets nothing that it acknowledged, unless the machine goes down; a `durable` one
 * not even then.
 */
export async function startPostgres({ durable = false } = {}): Promise<Postgres> {
  const bin = await newestBin()
  const dir = await mkdtemp(join(tmpdir(), 'slipway-postgres-'))
  const data = join(dir, 'data')
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const as = (program: string, ...args: string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', join(bin, program), ...args], { cwd: dir })
      : run(join(bin, program), args, { cwd: dir })
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    await chown(dir, Number(stdout), -1)
  }
  const init = ['--no-sync', '--auth=trust', '--username=slipway', '--encoding=UTF8', '--locale=C.UTF-8']
  await as('initdb', ...init, data)
  const settings = [
    // What is written stays in the memory of the host when its programs end.
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
    'listen_addresses=',
    `unix_socket_directories=${dir}`,
    'max_connections=200',
  ]
  const options = settings.map((setting) => `-c ${setting}`).join(' ')
  const start = async () => {
    await as('pg_ctl', 'start', '--wait', '-D', data, '-o', options, '-l', join(dir, 'log'))
  }
  const stop = async () => {
    await as('pg_ctl', 'stop', '--mode=immediate', '-D', data)
  }
  await start()
  return {
    url: `postgres://slipway@${encodeURIComponent(dir)}/postgres`,
    start,
    stop,
    async remove() {
      await stop().catch(() => {})
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Debian keeps the programs of each version in a directory of its own. */
async function newestBin(): Promise<string> {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root).catch(() => [])).map(Number).filter((version) => version >= 13)
  if (versions.length === 0) throw new Error('PostgreSQL is not installed: sudo apt-get install postgresql')
  return join(root, `${Math.max(...versions)}`, 'bin')
}
