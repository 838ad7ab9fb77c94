import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { keptSecret } from './kept-secret.ts'

const dir = await mkdtemp(path.join(tmpdir(), 'slipway-secret-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

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
