/** `npm run backup` and `npm run restore`, as processes of their own beside a server that runs, and without one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freshPlace } from '../db/database.test-kit.ts'
import type { DatabasePlace } from '../db/open.ts'

const home = await mkdtemp(path.join(tmpdir(), 'slipway-programs-'))
const running = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await rm(home, { recursive: true, force: true })
})

interface Installation {
  dataDir: string
  database: DatabasePlace
}
const installation = async (name: string): Promise<Installation> => {
  const dataDir = path.join(home, name)
  return { dataDir, database: await freshPlace(path.join(dataDir, 'slipway.sqlite')) }
}

function start(program: string, { dataDir, database }: Installation, ...args: string[]) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', program), ...args], {
    env: {
      PATH: process.env.PATH,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_ENGINE: 'simulated',
      SLIPWAY_PORT: '0',
      SLIPWAY_SSH_PORT: 'off',
      ...('url' in database && { SLIPWAY_DATABASE_URL: database.url }),
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
async function startServer(at: Installation) {
  const server = start('main.ts', at)
  await expect.poll(server.printed, { timeout: 30_000 }).toContain('mails ')
  return async () => {
    server.child.kill('SIGTERM')
    await server.ended
  }
}

it('write a backup with and without a server, and restore it for the next one', async () => {
  const [first, second] = [await installation('first'), await installation('second')]
  const [live, rest] = [path.join(home, 'live'), path.join(home, 'rest')]
  expect(await run('backup.ts', first, live)).toMatchObject({ status: 1 })
  const endServer = await startServer(first)
  const made = await run('backup.ts', first, live)
  expect(made).toMatchObject({ status: 0 })
  expect(made.printed).toContain(`Backup written to ${live} and verified`)
  const again = await run('backup.ts', first, live)
  expect(again).toMatchObject({ status: 1 })
  expect(again.printed).toContain('is not empty')
  const over = await run('restore.ts', first, live)
  expect(over).toMatchObject({ status: 1 })
  expect(over.printed).toContain('is not empty')
  await endServer()
  expect(await run('backup.ts', first, rest)).toMatchObject({ status: 0 })
  const restored = await run('restore.ts', second, rest)
  expect(restored).toMatchObject({ status: 0 })
  expect(restored.printed).toContain(`to ${second.dataDir}. Start the server.`)
  await (await startServer(second))()
})

it('say what they need to know', async () => {
  const at = await installation('none')
  for (const program of ['backup.ts', 'restore.ts'])
    expect((await run(program, at)).printed).toMatch(/^Name (one|the) directory/)
})
