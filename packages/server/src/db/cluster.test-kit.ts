/** A PostgreSQL of its own for tests, in a temporary directory and without a port. Also the global setup of a run. */
import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from './migrate.ts'
import { openDatabase } from './open.ts'

const run = promisify(execFile)

export default async function setup(project: TestProject) {
  const cluster = await startCluster({ hasty: true })
  await makeMigrated(cluster.url)
  project.provide('postgres', cluster.url)
  return cluster.remove
}

/** The database with the schema, of which tests get copies: a copy takes a tenth of all migrations. */
export const migrated = 'migrated'

async function makeMigrated(cluster: string): Promise<void> {
  const admin = new pg.Client({ connectionString: cluster })
  await admin.connect()
  await admin.query(`create database ${migrated}`)
  await admin.end()
  const db = openDatabase({ url: urlOf(cluster, migrated) })
  await migrate(db, null)
  await db.destroy()
}

export function urlOf(cluster: string, name: string): string {
  const url = new URL(cluster)
  url.pathname = name
  return url.href
}

/** What a `hasty` one stores is gone with the tests, so nothing has to reach the disk; another one forgets nothing. */
export async function startCluster({ hasty }: { hasty: boolean }) {
  const bin = await newestBin()
  const dir = await mkdtemp(path.join(tmpdir(), 'slipway-postgres-'))
  const data = path.join(dir, 'data')
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const as = (program: string, ...args: string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', path.join(bin, program), ...args], { cwd: dir })
      : run(path.join(bin, program), args, { cwd: dir })
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    await chown(dir, Number(stdout), -1)
  }
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8']
  await as('initdb', '--no-sync', '--auth=trust', '--username=slipway', ...locale, data)
  const unsafe = hasty ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []
  const settings = [...unsafe, 'listen_addresses=', `unix_socket_directories=${dir}`, 'max_connections=300']
  const options = settings.map((setting) => `-c ${setting}`).join(' ')
  const start = () => as('pg_ctl', 'start', '--wait', '-D', data, '-o', options, '-l', path.join(dir, 'log'))
  /** Ends it as a host that goes down does: connections break at once. */
  const stop = () => as('pg_ctl', 'stop', '--mode=immediate', '-D', data)
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
  return path.join(root, `${Math.max(...versions)}`, 'bin')
}
