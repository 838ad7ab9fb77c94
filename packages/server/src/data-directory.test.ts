/** What the programs leave in a data directory, seen from outside: they run as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { launched } from './lib/launched.test-kit.ts'

const base = await mkdtemp(path.join(tmpdir(), 'slipway-private-'))
const running = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await rm(base, { recursive: true, force: true })
})

function start(program: string, dataDir: string): ChildProcess {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, program)], {
    env: {
      ...launched,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_ENGINE: 'simulated',
      SLIPWAY_PORT: '0',
      SLIPWAY_SSH_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Lists boot images, as `npm start` does before the server. */
async function listImages(dataDir: string): Promise<void> {
  const child = start('images.ts', dataDir)
  child.stdout?.resume()
  const [status] = await once(child, 'exit')
  expect(status).toBe(0)
}

/** Resolves with all that was printed until the server was ready; the server is ended. */
async function startAndEnd(dataDir: string): Promise<string> {
  const child = start('main.ts', dataDir)
  let printed = ''
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    const keep = (chunk: Buffer) => {
      printed += chunk
      if (/ssh .*\n\s+mails /.test(printed)) resolve()
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    ended.then(() => reject(new Error(printed)), reject)
  })
  child.kill('SIGTERM')
  await ended
  return printed
}

/** What others than the owner may do anything with, below a directory, itself included. */
async function openToOthers(dir: string): Promise<string[]> {
  const names = ['', ...(await readdir(dir, { recursive: true }))]
  const modes = names.map(async (name) => ({ name, mode: (await lstat(path.join(dir, name))).mode }))
  return (await Promise.all(modes)).filter(({ mode }) => (mode & 0o077) !== 0).map(({ name }) => name || dir)
}

it('whichever program comes first makes the data directory for its owner alone', async () => {
  const dataDir = path.join(base, 'fresh')
  await listImages(dataDir)
  expect(await openToOthers(dataDir)).toEqual([])
  await startAndEnd(dataDir)
  expect(await readdir(dataDir)).toContain('slipway.sqlite')
  expect(await openToOthers(dataDir)).toEqual([])
})

it('the next start closes a data directory that an earlier version left open', async () => {
  const dataDir = path.join(base, 'open')
  await mkdir(path.join(dataDir, 'outbox'), { recursive: true })
  const left = ['slipway.sqlite', 'slipway.sqlite-wal', 'slipway.sqlite.before-0002-storage', 'metrics.token']
  for (const name of left)
    await writeFile(path.join(dataDir, name), name === 'metrics.token' ? 'x'.repeat(40) : '')
  for (const name of left) await chmod(path.join(dataDir, name), 0o644)
  await chmod(path.join(dataDir, 'outbox'), 0o755)
  await chmod(dataDir, 0o755)
  await startAndEnd(dataDir)
  expect(await openToOthers(dataDir)).toEqual([])
})

it('a data directory that everybody shares is left as it is, and named with what helps', async () => {
  const dataDir = path.join(base, 'shared')
  await mkdir(dataDir)
  await chmod(dataDir, 0o1777)
  const printed = await startAndEnd(dataDir)
  expect(printed).toContain(`${dataDir} is shared by all users of this host`)
  expect(printed).toContain('SLIPWAY_DATA_DIR')
  expect((await lstat(dataDir)).mode & 0o7777).toBe(0o1777)
  expect((await lstat(path.join(dataDir, 'slipway.sqlite'))).mode & 0o077).toBe(0)
})
