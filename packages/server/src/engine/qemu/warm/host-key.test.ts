import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../lib/command.ts'
import { directoryOfTest } from '../../../lib/directory.test-kit.ts'
import { makeHostKey } from './host-key.ts'

test('a host key is one that OpenSSH reads, and each is another', async () => {
  const dir = directoryOfTest()
  const seen = new Set<string>()
  for (const comment of ['root@a', 'root@some-longer-name', '']) {
    const key = makeHostKey(comment)
    const path = join(dir, `key-${seen.size}`)
    await writeFile(path, key.openssh, { mode: 0o600 })
    expect((await run('ssh-keygen', ['-y', '-f', path])).trim()).toBe(`${key.public} ${comment}`.trim())
    seen.add(key.public)
  }
  expect(seen.size).toBe(3)
})

test('Dropbear reads the same key: its name, then both halves as one text', () => {
  const { dropbear, public: shown } = makeHostKey('x')
  const blob = Buffer.from(shown.split(' ')[1] ?? '', 'base64')
  expect(dropbear.subarray(0, 15)).toEqual(blob.subarray(0, 15))
  expect(dropbear.readUInt32BE(15)).toBe(64)
  expect(dropbear.subarray(-32)).toEqual(blob.subarray(-32))
  expect(dropbear).toHaveLength(15 + 4 + 64)
})
