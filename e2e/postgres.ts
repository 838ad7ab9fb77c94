/** A PostgreSQL of its own, in a temporary directory and without a port. */
import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Postgres {
  url: string
  /** Its first process, which the others are children of; 0 while it is down. */
  pid: () => Promise<number>
  start: () => Promise<void>
  /** Ends it as a host that goes down does: connections break at once. What was committed stays. */
  stop: () => Promise<void>
  /** The first field of what a query finds; empty when it finds nothing. */
  ask: (query: string) => Promise<string>
  remove: () => Promise<void>
}

const common = ['listen_addresses=', 'max_connections=300']
/** It outlives that its processes are ended, but not that the host is: nothing has to reach the disk. */
const hasty = ['fsync=off', 'full_page_writes=off']

/** Starts Debian's PostgreSQL. A `durable` one forgets nothing, not even when the host goes down. */
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
  if (isRoot) await chown(dir, Number((await run('id', ['-u', 'postgres'])).stdout), -1)
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8']
  await as('initdb', '--no-sync', '--auth=trust', '--username=slipway', ...locale, data)
  const settings = [...common, ...(durable ? [] : hasty)]
  const options = [...settings, `unix_socket_directories=${dir}`].map((setting) => `-c ${setting}`).join(' ')
  const postgres: Postgres = {
    url: `postgres://slipway@${encodeURIComponent(dir)}/postgres`,
    async pid() {
      const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
      return Number(text.split('\n')[0])
    },
    start: async () =>
      void (await as('pg_ctl', 'start', '--wait', '-D', data, '-o', options, '-l', join(dir, 'log'))),
    stop: async () => void (await as('pg_ctl', 'stop', '--mode=immediate', '-D', data)),
    async ask(query) {
      const args = ['--no-psqlrc', '--tuples-only', '--no-align', '--command', query, postgres.url]
      const { stdout } = await run(join(bin, 'psql'), args, { timeout: 5_000 })
      return stdout.trim()
    },
    async remove() {
      await postgres.stop().catch(() => {})
      await rm(dir, { recursive: true, force: true })
    },
  }
  await postgres.start()
  return postgres
}

/** Debian keeps the programs of each version in a directory of its own. */
async function newestBin(): Promise<string> {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root).catch(() => [])).map(Number).filter((version) => version >= 13)
  if (versions.length === 0) throw new Error('PostgreSQL is not installed: sudo apt-get install postgresql')
  return join(root, `${Math.max(...versions)}`, 'bin')
}
