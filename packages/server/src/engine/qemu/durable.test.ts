import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { directoryForEach, directoryOfTest } from '../../lib/directory.test-kit.ts'
import { exists, presentAmong, readJson, UnreadableError, writeDurably } from './durable.ts'
import { makePlaces, placeNames } from './places.ts'
import { allocatedBytes } from './room.ts'

const dir = directoryForEach()
const at = (...names: string[]) => join(dir(), ...names)

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number')
const read = (name: string) => readJson(at(name), isNumbers)

describe('a JSON file', () => {
  test('that is there is its value, and one that is not there is null', async () => {
    await writeDurably(at('there'), [1, 2])
    expect(await read('there')).toEqual([1, 2])
    expect(await read('absent')).toBeNull()
    expect(await read('no-folder/absent')).toBeNull()
  })

  test.each([
    ['is empty', ''],
    ['is torn', '[1, 2'],
    ['has a foreign shape', '["1"]'],
    ['holds null', 'null'],
    ['is zeros, as a power failure leaves them', '\0\0\0\0'],
  ])('that %s is unreadable and damaged', async (_, text) => {
    await writeFile(at('file'), text)
    const failure = await read('file').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnreadableError)
    expect(failure).toMatchObject({ damaged: true, retryable: true, path: at('file') })
    expect(String(failure)).not.toContain(dir())
  })

  test('that cannot be opened is unreadable, and not damaged', async () => {
    await symlink(at('loop'), at('loop'))
    await writeFile(at('a-file'), '')
    await mkdir(at('a-folder'))
    for (const name of ['loop', 'a-file/below', 'a-folder'])
      await expect(read(name)).rejects.toMatchObject({ name: 'UnreadableError', damaged: false })
  })

  test('whose descriptor the server has no room for is unreadable, not absent', async () => {
    await writeDurably(at('there'), [1])
    const script = `
      const { openSync } = await import('node:fs')
      const { readJson, exists } = await import('./durable.ts')
      const { lookAtDisk } = await import('./qcow2.ts')
      try { for (;;) openSync('/dev/null') } catch {}
      const end = (work) => work.then(String, (error) => error.name + ': ' + error.message)
      const path = process.argv[1]
      const ends = [await end(readJson(path, () => true)), await end(lookAtDisk(path))]
      process.stdout.write(ends.join('\\n'))
    `
    const args = ['--nofile=64:64', process.execPath, '--input-type=module', '-e', script, at('there')]
    const answers = (await run('prlimit', args, { cwd: import.meta.dirname })).split('\n')
    const sentence = 'UnreadableError: A file on the host cannot be read: the server has too many files open.'
    expect(answers).toEqual([sentence, sentence])
  })
})

test('what cannot be looked at neither exists nor does not, and takes no known room', async () => {
  await symlink(at('loop'), at('loop'))
  await expect(exists(at('loop'))).rejects.toThrow(UnreadableError)
  await expect(allocatedBytes(at('loop'))).rejects.toThrow(UnreadableError)
  expect(await exists(at('absent'))).toBe(false)
  expect(await allocatedBytes(at('absent'))).toBe(0)
})

test('a list has what cannot be read, and leaves out what is not there', async () => {
  await writeDurably(at('one'), [1])
  await writeFile(at('torn'), '[')
  expect(await presentAmong(['one', 'torn', 'absent'], read)).toEqual(['one', 'torn'])
})

test('two who write one file at once both succeed, and the last one wins', async () => {
  const path = at('file')
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((value) => writeDurably(path, [value])))
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual([8])
  expect(await readdir(dir())).toEqual(['file'])
})

const isRoot = process.getuid?.() === 0
test.skipIf(!isRoot)('a full disk leaves the old content, and nothing of the new one', async () => {
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir()])
  try {
    await writeDurably(at('file'), [1])
    await writeFile(at('ballast'), 'x'.repeat(48 * 1024))
    const much = Array.from({ length: 10_000 }, (_, index) => index)
    await expect(writeDurably(at('file'), much)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect((await readdir(dir())).sort()).toEqual(['ballast', 'file'])
    expect(JSON.parse(await readFile(at('file'), 'utf8'))).toEqual([1])
  } finally {
    await run('umount', [dir()])
  }
})

describe('the places of a data directory', () => {
  test('are made and marked once, and each is required to be the one that was marked', async () => {
    const places = makePlaces(dir())
    await places.open()
    for (const name of placeNames) await places.require(name)
    await rm(at('volumes'), { recursive: true })
    for (const again of [places, makePlaces(dir())]) {
      await again.open()
      await expect(again.require('volumes')).rejects.toThrow('The directory volumes/ is not the one')
      await again.require('machines')
    }
    expect(await exists(at('volumes'))).toBe(false)
  })

  test('of another installation are not taken for its own', async () => {
    const other = directoryOfTest()
    for (const each of [dir(), other]) await makePlaces(each).open()
    await writeFile(at('snapshots', '.slipway'), await readFile(join(other, 'snapshots', '.slipway')))
    await expect(makePlaces(dir()).require('snapshots')).rejects.toThrow('Is it mounted?')
  })

  test('promise nothing before they were marked', async () => {
    await expect(makePlaces(dir()).require('machines')).resolves.toBeUndefined()
  })

  test('keep what is moved aside under a name that says what it was, and when', async () => {
    const places = makePlaces(dir())
    await places.open()
    await mkdir(at('machines', 'one'))
    const to = await places.moveAside('machines', 'one', new Date('2026-11-22T10:15:00Z'))
    expect(to).toBe(at('orphans', 'machines-one-2026-11-22T101500.000Z'))
    expect(await exists(to)).toBe(true)
    expect(await exists(at('machines', 'one'))).toBe(false)
  })
})
