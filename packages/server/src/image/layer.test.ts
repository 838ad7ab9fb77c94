import { link, mkdir, open, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../lib/command.ts'
import { directoryForEach } from '../lib/directory.test-kit.ts'
import { differenceOf, merged } from './difference.ts'
import { makeExt4 } from './ext4.ts'
import { applyChanges, changeCommands, listingOf } from './ext4-changes.ts'
import { installedPackages } from './package-list.ts'
import { contentIn, readTar, withTar } from './tar.ts'

const at = directoryForEach()

/** Packs what `fill` puts into an empty directory. */
async function pack(name: string, fill: (tree: string) => Promise<void>, options: string[] = []) {
  const tree = at(`${name}-tree`)
  await mkdir(tree)
  await fill(tree)
  const archive = at(`${name}.tar`)
  const owner = ['--owner=:33', '--group=:34', '--numeric-owner', '--sort=name']
  await run('tar', ['-c', '-f', archive, '--format=pax', ...owner, ...options, '-C', tree, '.'])
  return archive
}

const ask = (raw: string, command: string) => run('debugfs', ['-R', command, raw])

test('an archive is read with long names, links, owners and attributes that are not text', async () => {
  const long = `${'d'.repeat(90)}/${'f'.repeat(150)}`
  const archive = await pack(
    'one',
    async (tree) => {
      await mkdir(join(tree, 'd'.repeat(90)))
      await writeFile(join(tree, long), 'long')
      await writeFile(join(tree, 'a file'), 'content', { mode: 0o640 })
      await link(join(tree, 'a file'), join(tree, 'another name'))
      await symlink('/somewhere/else', join(tree, 'way'))
    },
    ['--pax-option=SCHILY.xattr.user.mood:=\u00e9'],
  )
  await withTar(archive, async (tar) => {
    const entries = await readTar(tar)
    expect([...entries.keys()].sort()).toEqual([
      '/',
      '/a file',
      '/another name',
      `/${'d'.repeat(90)}`,
      `/${long}`,
      '/way',
    ])
    expect(entries.get('/a file')).toMatchObject({ kind: 'file', mode: 0o640, uid: 33, gid: 34, size: 7 })
    expect(entries.get('/another name')).toMatchObject({ kind: 'hard link', target: '/a file' })
    expect(entries.get('/way')).toMatchObject({ kind: 'symbolic link', target: '/somewhere/else' })
    expect(entries.get('/a file')?.attributes.get('user.mood')).toEqual(Buffer.from('\u00e9'))
    const file = entries.get(`/${long}`)
    expect(file && (await contentIn(tar, file)).toString()).toBe('long')
  })
})

test('a file system becomes what an archive holds, and then what another one holds', async () => {
  const first = await pack('first', async (tree) => {
    await mkdir(join(tree, 'keep/deep'), { recursive: true })
    await writeFile(join(tree, 'keep/deep/same'), 'same')
    await writeFile(join(tree, 'keep/changed'), 'old')
    await mkdir(join(tree, 'gone/with'), { recursive: true })
    await writeFile(join(tree, 'gone/with/all'), 'gone')
    await writeFile(join(tree, 'file then link'), 'file')
  })
  const second = await pack(
    'second',
    async (tree) => {
      await mkdir(join(tree, 'keep/deep'), { recursive: true })
      await writeFile(join(tree, 'keep/deep/same'), 'same', { mode: 0o600 })
      await writeFile(join(tree, 'keep/changed'), 'new')
      await link(join(tree, 'keep/changed'), join(tree, 'second "name"'))
      await symlink('keep', join(tree, 'file then link'))
      await symlink('keep', join(tree, 'gone'))
    },
    ['--pax-option=SCHILY.xattr.user.mood:=good'],
  )
  const raw = at('disk')
  await makeExt4(raw, 64)
  const before = await withTar(first, async (tar) => {
    const listing = await listingOf(tar)
    await applyChanges(raw, new Map(), listing, tar, at())
    return listing
  })
  expect(await ask(raw, 'cat /gone/with/all')).toBe('gone')

  await withTar(second, async (tar) => applyChanges(raw, before, await listingOf(tar), tar, at()))
  expect(await ask(raw, 'cat /keep/changed')).toBe('new')
  expect(await ask(raw, 'cat "/second ""name"""')).toBe('new')
  expect(await ask(raw, 'stat /keep/changed')).toMatch(/User: +33 +Group: +34[\s\S]*Links: 2/)
  expect(await ask(raw, 'stat /keep/deep/same')).toMatch(/Mode: +0600/)
  expect(await ask(raw, 'stat "/file then link"')).toContain('Fast link dest: "keep"')
  expect(await ask(raw, 'stat /gone')).toContain('Type: symlink')
  expect(await ask(raw, 'ea_list /keep/changed')).toContain('user.mood (4) = "good"')
})

test('what two archives have in common costs no command', async () => {
  const archive = await pack('same', async (tree) => {
    await writeFile(join(tree, 'one'), 'one')
    await link(join(tree, 'one'), join(tree, 'two'))
    await symlink('one', join(tree, 'three'))
  })
  await withTar(archive, async (tar) => {
    const listing = await listingOf(tar)
    expect(changeCommands(listing, listing).commands).toEqual([])
  })
})

test('a command that fails is told, although debugfs succeeds', async () => {
  const raw = at('disk')
  await makeExt4(raw, 64)
  const archive = await pack('tree', (tree) => writeFile(join(tree, 'file'), 'content'))
  await withTar(archive, async (tar) => {
    const missing = new Map(await listingOf(tar))
    missing.delete('/')
    await expect(applyChanges(raw, missing, new Map(), tar, at())).rejects.toThrow(/could not be written/)
  })
})

test('a difference upon a disk reads as the whole, and holds only what differs', async () => {
  const [raw, lowerRaw, lower, copy] = [at('raw'), at('lower.raw'), at('lower'), at('copy')]
  for (const path of [raw, lowerRaw, copy]) await run('truncate', ['-s', '64M', path])
  const write = async (path: string, at: number, bytes: Buffer) => {
    const file = await open(path, 'r+')
    await file.write(bytes, 0, bytes.length, at)
    await file.close()
  }
  for (const path of [raw, lowerRaw, copy]) {
    await write(path, 0, Buffer.alloc(1 << 20, 'a'))
    await write(path, 33 << 20, Buffer.alloc(9 << 20, 'b'))
  }
  for (const path of [raw, copy]) {
    await write(path, 70_000, Buffer.from('changed'))
    await write(path, 34 << 20, Buffer.alloc(1 << 20))
    await write(path, 60 << 20, Buffer.from('new'))
  }
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', lowerRaw, lower])
  const disk = await differenceOf({ raw, lowerRaw, lower }, at(), new AbortController().signal)

  const info = JSON.parse(await run('qemu-img', ['info', '--output=json', disk]))
  expect(info['backing-filename']).toBe('lower')
  const beside = at('upper')
  await run('mv', [disk, beside])
  await run('qemu-img', ['compare', '-f', 'qcow2', '-F', 'raw', beside, copy])
  const allocated: { depth: number; length: number; data: boolean }[] = JSON.parse(
    await run('qemu-img', ['map', '--output=json', '-f', 'qcow2', beside]),
  )
  const own = allocated.filter((stretch) => stretch.depth === 0 && stretch.data)
  expect(own.reduce((sum, { length }) => sum + length, 0)).toBe(2 * 65_536)
})

test('stretches become whole clusters in order', () => {
  expect(
    merged([
      { start: 200_000, length: 1 },
      { start: 0, length: 10 },
      { start: 65_000, length: 1000 },
    ]),
  ).toEqual([
    { start: 0, length: 131_072 },
    { start: 196_608, length: 65_536 },
  ])
})

test('only packages that are installed are told', () => {
  const paragraphs = [
    'Package: zlib1g\nStatus: install ok installed\nVersion: 1:1.3',
    'Package: old\nStatus: deinstall ok config-files\nVersion: 2',
    'Package: bash\nStatus: install ok installed\nVersion: 5.2',
  ]
  expect(installedPackages(paragraphs.join('\n\n'))).toEqual(['bash=5.2', 'zlib1g=1:1.3'])
})
