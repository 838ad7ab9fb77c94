import { readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { directoryOfFile } from './directory.test-kit.ts'
import { keptSecret } from './kept-secret.ts'

const dir = directoryOfFile()

it('is made once, however many ask at the same time, for the owner alone', async () => {
  const file = path.join(dir, 'token')
  const secrets = await Promise.all(Array.from({ length: 20 }, () => keptSecret(file)))
  expect(new Set(secrets).size).toBe(1)
  expect(await keptSecret(file)).toBe(secrets[0])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(dir)).toEqual(['token'])
})

it('is never an empty one', async () => {
  const file = path.join(dir, 'empty')
  await writeFile(file, '')
  await expect(keptSecret(file)).rejects.toThrow('holds no secret')
})
