/** What the programs leave in a data directory, seen from outside: they run as processes of their own. */
import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openPrograms } from './backup/programs.test-kit.ts'

const { home: base, run, start } = openPrograms()

const at = (dataDir: string) => ({
  dataDir,
  database: { file: path.join(dataDir, 'slipway.sqlite') },
  env: { SLIPWAY_SSH_PORT: '0' },
})

/** Resolves with all that was printed until the server was ready; the server is ended. */
async function startAndEnd(dataDir: string): Promise<string> {
  const { child, ended, printed } = start('main.ts', at(dataDir))
  await expect.poll(printed).toMatch(/ssh .*\n\s+mails /)
  child.kill('SIGTERM')
  await ended
  return printed()
}

/** What others than the owner may do anything with, below a directory, itself included. */
async function openToOthers(dir: string): Promise<string[]> {
  const names = ['', ...(await readdir(dir, { recursive: true }))]
  const modes = names.map(async (name) => ({ name, mode: (await lstat(path.join(dir, name))).mode }))
  return (await Promise.all(modes)).filter(({ mode }) => (mode & 0o077) !== 0).map(({ name }) => name || dir)
}

it('whichever program comes first makes the data directory for its owner alone', async () => {
  const dataDir = path.join(base, 'fresh')
  // Boot images are listed before the server starts.
  expect(await run('images.ts', at(dataDir))).toMatchObject({ status: 0 })
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
