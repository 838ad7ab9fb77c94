/** The programs of this package as processes, over installations on the simulated engine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, expect } from 'vitest'
import { freshPlace } from '../db/database.test-kit.ts'
import type { DatabasePlace } from '../db/open.ts'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { launched } from '../lib/launched.test-kit.ts'

export interface TestInstallation {
  dataDir: string
  database: DatabasePlace
  /** More settings. */
  env?: Record<string, string>
}

/** For a file of tests, which removes all of it afterwards. */
export function openPrograms() {
  const home = directoryOfFile()
  const running = new Set<ChildProcess>()
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL')
  })

  async function installation(name: string, env?: Record<string, string>): Promise<TestInstallation> {
    const dataDir = path.join(home, name)
    return { dataDir, database: await freshPlace(path.join(dataDir, 'slipway.sqlite')), ...(env && { env }) }
  }

  function start(program: string, { dataDir, database, env }: TestInstallation, ...args: string[]) {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', program), ...args], {
      env: {
        ...launched,
        SLIPWAY_DATA_DIR: dataDir,
        SLIPWAY_ENGINE: 'simulated',
        SLIPWAY_PORT: '0',
        SLIPWAY_SSH_PORT: 'off',
        ...('url' in database && { SLIPWAY_DATABASE_URL: database.url }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    const ended = once(child, 'close').finally(() => running.delete(child))
    let printed = ''
    for (const output of [child.stdout, child.stderr])
      output.on('data', (chunk: Buffer) => {
        printed += chunk
      })
    return { child, ended, printed: () => printed }
  }

  async function run(...args: Parameters<typeof start>) {
    const { ended, printed } = start(...args)
    const [status] = await ended
    return { status, printed: printed() }
  }

  /** Starts a server; returns what ends it, by a signal. */
  async function startServer(at: TestInstallation) {
    const server = start('main.ts', at)
    await expect.poll(server.printed).toContain('mails ')
    return async (signal: NodeJS.Signals = 'SIGTERM') => {
      server.child.kill(signal)
      await server.ended
    }
  }
  return { home, installation, start, run, startServer }
}
