import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ssh2 from 'ssh2'
import { expect, it } from 'vitest'
import { directoryOfFile } from '../../lib/directory.test-kit.ts'
import { fingerprintOf, keepKey, makePrivateKey } from './keys.ts'

const dir = directoryOfFile()

it('makes only keys that can be read', () => {
  // Without a second look about one in 250 cannot.
  for (let i = 0; i < 2000; i++) {
    expect(ssh2.utils.parseKey(makePrivateKey('slipway'))).not.toBeInstanceOf(Error)
  }
})

it('keeps a key that ssh-keygen knows, for its owner alone, and refuses a file that is none', async () => {
  const made = await keepKey(dir, 'key', 'slipway')
  const file = path.join(dir, 'key')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await keepKey(dir, 'key', 'slipway')).toEqual(made)
  expect(readFileSync(file, 'utf8')).toBe(made.privateKey)
  const blob = Buffer.from(made.publicKey.split(' ')[1] ?? '', 'base64')
  expect(execFileSync('ssh-keygen', ['-lf', file]).toString()).toContain(fingerprintOf(blob))
  writeFileSync(file, 'nonsense')
  await expect(keepKey(dir, 'key', 'slipway')).rejects.toThrow(`${file} is not a private key`)
})
