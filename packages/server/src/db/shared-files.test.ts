import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { openBeside, openTestDb } from './database.test-kit.ts'
import { shareFiles } from './shared-files.ts'

const root = directoryOfFile()

it('files are the same at all servers: those of the first, and what another had stays beside them', async () => {
  const db = await openTestDb()
  const [first, second, third] = [path.join(root, 'a'), path.join(root, 'b'), path.join(root, 'c')]
  for (const dir of [first, second, third]) await mkdir(dir)
  const share = (dir: string, over = db) =>
    shareFiles(over, dir, [
      {
        name: 'key',
        make: () => writeFile(path.join(dir, 'key'), `made in ${dir}\n`, { flag: 'wx' }).catch(() => {}),
      },
    ])
  const read = (dir: string) => readFile(path.join(dir, 'key'), 'utf8')
  await writeFile(path.join(third, 'key'), 'its own\n')
  const beside = openBeside(db)
  // Over one connection of SQLite a transaction waits for the one before.
  await Promise.all([share(first), share(second, beside)])
  await share(third)
  expect(await read(first)).toMatch(/^made in /)
  expect(await read(second)).toBe(await read(first))
  expect(await read(third)).toBe(await read(first))
  expect((await stat(path.join(third, 'key'))).mode & 0o077).toBe(0)
  const kept = (await readdir(third)).filter((name) => name !== 'key')
  expect(kept).toEqual([expect.stringMatching(/^key\.before-/)])
  expect(await readFile(path.join(third, kept[0] ?? ''), 'utf8')).toBe('its own\n')
  await share(third)
  expect(await readdir(third)).toHaveLength(2)
  if (beside !== db) await beside.destroy()
  await db.destroy()
})
