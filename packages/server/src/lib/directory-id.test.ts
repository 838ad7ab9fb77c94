import { readdir, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { directoryOfFile } from './directory.test-kit.ts'
import { directoryId, directoryIdIfAny } from './directory-id.ts'

const dir = directoryOfFile()

it('is made once, however many ask at the same time, and stays', async () => {
  expect(await directoryIdIfAny(dir)).toBeNull()
  expect(await readdir(dir)).toEqual([])
  const ids = await Promise.all(Array.from({ length: 20 }, () => directoryId(dir)))
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toContain(hostname())
  expect([await directoryId(dir), await directoryIdIfAny(dir)]).toEqual([ids[0], ids[0]])
  expect((await stat(path.join(dir, 'directory.id'))).mode & 0o777).toBe(0o600)
})

it('is never an empty one', async () => {
  await writeFile(path.join(dir, 'directory.id'), '')
  await expect(directoryId(dir)).rejects.toThrow('holds no id')
})
