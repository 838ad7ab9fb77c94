// @module-tag full
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { outsideEnvironment, run } from '../lib/command.ts'
import { describeWith } from '../lib/describe-with.test-kit.ts'
import { MIB, makePlace } from './import.test-kit.ts'
import { digestOf } from './registry-client.ts'

const programs = ['docker-registry', 'skopeo', 'umoci', 'mke2fs', 'debugfs', 'qemu-img', 'unshare']

describeWith(programs, 'an image from a real registry', () => {
  const content = randomBytes(MIB)
  const isRoot = process.getuid?.() === 0
  let work: string
  let registry: { host: string; process: ChildProcess }
  let place: Awaited<ReturnType<typeof makePlace>>

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'slipway-registry-'))
    registry = await startRegistry(work)
  })
  afterAll(async () => {
    registry.process.kill()
    await once(registry.process, 'exit')
    await rm(work, { recursive: true })
  })
  beforeEach(async () => {
    place = await makePlace()
  })
  afterEach(() => place.cleanUp())

  /** Puts an image of these layers into the registry; resolves with its name there. */
  const push = async (name: string, ...layers: Entry[][]): Promise<string> => {
    const layout = join(work, name)
    await writeLayout(layout, layers.map(tar))
    const image = `${registry.host}/tests/${name}:v1`
    const flags = ['--insecure-policy', '--quiet', '--dest-tls-verify=false']
    await run('skopeo', ['copy', ...flags, `oci:${layout}:v1`, `docker://${image}`])
    return image
  }

  /** Imports an image that becomes a file system; resolves with a way to look into it. */
  const takeRoot = async (image: string) => {
    const { content: bytes, ...imported } = await place.take({ from: 'registry', image })
    const file = join(place.dir, 'root.ext4')
    await writeFile(file, bytes)
    await run('e2fsck', ['-f', '-n', file])
    const debugfs = (command: string) => run('debugfs', ['-R', command, file])
    return { ...imported, debugfs, cat: (path: string) => debugfs(`cat ${path}`) }
  }

  const qcow2 = async (...options: string[]): Promise<Buffer> => {
    const raw = join(work, 'disk.raw')
    await writeFile(raw, content)
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', ...options, raw, join(work, 'disk.qcow2')])
    return readFile(join(work, 'disk.qcow2'))
  }

  test('is the disk in /disk of a container disk', async () => {
    const image = await push('disk', [
      { path: 'disk', type: DIRECTORY, mode: 0o555, uid: 107 },
      { path: 'disk/fedora.qcow2', content: await qcow2(), mode: 0o440, uid: 107 },
    ])
    const got = await place.take({ from: 'registry', image })
    expect(got.content.equals(content)).toBe(true)
    expect(got.virtualBytes).toBe(content.length)
    const manifest = await run('skopeo', ['inspect', '--raw', '--tls-verify=false', `docker://${image}`])
    expect(got.sha256).toBe(createHash('sha256').update(manifest).digest('hex'))
    expect(got.progress.at(-1)).toBe(1)
  })

  test('is the raw disk in /disk of a container disk, whatever its mode', async () => {
    const image = await push('raw', [{ path: 'disk/disk.img', content, mode: 0o000 }])
    expect((await place.take({ from: 'registry', image })).content.equals(content)).toBe(true)
  })

  test('is refused when its disk reads a file of the host', async () => {
    const image = join(work, 'hostile.qcow2')
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', '/etc/passwd', '-F', 'raw', image])
    const hostile = await push('hostile', [{ path: 'disk/x.qcow2', content: await readFile(image) }])
    expect(await place.refusal({ from: 'registry', image: hostile })).toContain('depends on another file')
  })

  test('is refused when /disk holds more than one file', async () => {
    const image = await push('two', [
      { path: 'disk/a.img', content },
      { path: 'disk/b.img', content },
    ])
    expect(await place.refusal({ from: 'registry', image })).toContain('more than one file in /disk')
  })

  test.each([
    ['a link to a file of the host', [{ path: 'disk/x', type: SYMLINK, link: '/etc/passwd' }]],
    ['a directory of the host', [{ path: 'disk', type: SYMLINK, link: '/etc' }]],
  ])('takes nothing from the host when /disk is %s', async (what, entries) => {
    const root = await takeRoot(
      await push(`link-${what.length}`, [...entries, { path: 'mine', content: 'mine' }]),
    )
    expect(await root.cat('/mine')).toBe('mine')
    expect(await root.debugfs('stat /disk')).not.toContain('Type: regular')
    expect((await readFile(place.target)).includes('root:x:0:0')).toBe(false)
  })

  test('is its whole root as a file system otherwise, flattened', async () => {
    const image = await push(
      'root',
      [
        { path: 'etc', type: DIRECTORY, mode: 0o755 },
        { path: 'etc/kept', content: 'kept' },
        { path: 'etc/changed', content: 'old' },
        { path: 'etc/removed', content: 'removed' },
        { path: 'opaque', type: DIRECTORY, mode: 0o755 },
        { path: 'opaque/below', content: 'below' },
        { path: 'usr/bin/tool', content, mode: 0o4755 },
        { path: 'usr/bin/same-tool', type: HARD_LINK, link: 'usr/bin/tool' },
        { path: 'bin', type: SYMLINK, link: 'usr/bin' },
        { path: 'home/ada', type: DIRECTORY, mode: 0o700, uid: 1000 },
        { path: 'home/ada/note', content: 'hers', mode: 0o600, uid: 1000 },
        { path: 'dev/null', type: CHARACTER_DEVICE },
      ],
      [
        { path: 'etc/changed', content: 'new' },
        { path: 'etc/.wh.removed', content: '' },
        { path: 'opaque/.wh..wh..opq', content: '' },
        { path: 'opaque/above', content: 'above' },
      ],
    )
    const root = await takeRoot(image)
    expect(await root.cat('/etc/kept')).toBe('kept')
    expect(await root.cat('/etc/changed')).toBe('new')
    expect(await root.debugfs('ls -p /etc')).not.toContain('removed')
    expect(await root.debugfs('ls -p /opaque')).not.toContain('below')
    expect(await root.cat('/opaque/above')).toBe('above')
    expect(await root.cat('/home/ada/note')).toBe('hers')
    const inode = async (path: string) => (await root.debugfs(`stat ${path}`)).match(/Inode: (\d+)/)?.[1]
    expect(await inode('/usr/bin/same-tool')).toBe(await inode('/usr/bin/tool'))
    expect(await root.debugfs('stat /usr/bin/tool')).toMatch(/Mode: {2}04755/)
    expect(await root.debugfs('stat /bin')).toContain('Fast link dest: "usr/bin"')
    // Whoever is not root cannot make devices, nor files of several users.
    expect(await root.debugfs('stat /dev/null')).toContain('Type: regular')
    if (isRoot) expect(await root.debugfs('stat /home/ada/note')).toMatch(/User: +1000 +Group: +1000/)
  })

  test('has room left in its file system', async () => {
    const root = await takeRoot(await push('small', [{ path: 'file', content }]))
    const free = Number((await root.debugfs('stats')).match(/^Free blocks: +(\d+)/m)?.[1])
    expect(free).toBeGreaterThan(1000)
    expect(root.virtualBytes).toBeLessThan(256 * MIB)
  })

  test.each([
    ['climb', '../../../etc/slipway-escape'],
    ['start at the root', '/etc/slipway-escape'],
  ])('stays inside when paths in its layers %s', async (what, path) => {
    const root = await takeRoot(await push(`path-${what.length}`, [{ path, content: 'escaped' }]))
    expect(await root.cat('/etc/slipway-escape')).toBe('escaped')
    await expect(stat('/etc/slipway-escape')).rejects.toThrow('ENOENT')
  })

  test('stays inside when a layer writes through a link of another', async () => {
    const image = await push(
      'through-link',
      [{ path: 'way', type: SYMLINK, link: '/tmp' }],
      [{ path: 'way/slipway-escape', content: 'escaped' }],
    )
    expect(await (await takeRoot(image)).debugfs('stat /tmp/slipway-escape')).toContain('Type: regular')
    await expect(stat('/tmp/slipway-escape')).rejects.toThrow('ENOENT')
  })

  test('is refused when a hard link leads out', async () => {
    const image = await push('hard-link', [
      { path: 'passwd', type: HARD_LINK, link: '../../../../etc/passwd' },
    ])
    expect(await place.refusal({ from: 'registry', image })).toBe(
      'The container image is damaged or incomplete.',
    )
  })

  test('is refused when a layer ends early', async () => {
    const layout = join(work, 'cut')
    await writeLayout(layout, [tar([{ path: 'file', content }]).subarray(0, 100_000)])
    const image = `${registry.host}/tests/cut:v1`
    const flags = ['--insecure-policy', '--quiet', '--dest-tls-verify=false']
    await run('skopeo', ['copy', ...flags, `oci:${layout}:v1`, `docker://${image}`])
    expect(await place.refusal({ from: 'registry', image })).toBe(
      'The container image is damaged or incomplete.',
    )
  })

  test('is refused when it is larger than the limit', async () => {
    const image = await push('large', [{ path: 'file', content: Buffer.alloc(MIB) }])
    const small = await makePlace({ maxImageBytes: 100_000 })
    try {
      expect(await small.refusal({ from: 'registry', image })).toContain('unpacked image is larger than')
    } finally {
      await small.cleanUp()
    }
  })

  test('is refused when there is none of that name', async () => {
    const image = `${registry.host}/tests/none:v1`
    expect(await place.refusal({ from: 'registry', image })).toBe(
      'The registry does not have this image, or it requires a login.',
    )
  })

  test('is refused when the registry is in a private network nobody listed', async () => {
    const image = await push('private', [{ path: 'file', content }])
    const closed = await makePlace({ privateSources: [] })
    try {
      expect(await closed.refusal({ from: 'registry', image })).toContain('private network')
    } finally {
      await closed.cleanUp()
    }
  })
})

/** A registry with its store in a directory, at a free port of loopback. */
async function startRegistry(dir: string): Promise<{ host: string; process: ChildProcess }> {
  const config = join(dir, 'config.yml')
  const store = join(dir, 'store')
  await writeFile(
    config,
    `version: 0.1\nstorage: {filesystem: {rootdirectory: ${store}}}\nhttp: {addr: "127.0.0.1:0"}\n`,
  )
  const child = spawn('docker-registry', ['serve', config], {
    env: outsideEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: child.stderr })) {
    const host = line.match(/listening on (127\.0\.0\.1:\d+)/)?.[1]
    if (!host) continue
    child.stderr.resume()
    return { host, process: child }
  }
  throw new Error('The registry did not start')
}

/** Writes an image of these layers as an OCI image layout. */
async function writeLayout(dir: string, layers: Buffer[]): Promise<void> {
  const blobs = join(dir, 'blobs/sha256')
  await mkdir(blobs, { recursive: true })
  const put = async (bytes: Buffer, mediaType: string) => {
    await writeFile(join(blobs, digestOf(bytes).slice(7)), bytes)
    return { mediaType, digest: digestOf(bytes), size: bytes.length }
  }
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const type = 'application/vnd.oci.image'
  const rootfs = { type: 'layers', diff_ids: layers.map(digestOf) }
  const config = await put(
    json({ architecture: 'amd64', os: 'linux', config: {}, rootfs }),
    `${type}.config.v1+json`,
  )
  const packed = await Promise.all(layers.map((layer) => put(gzipSync(layer), `${type}.layer.v1.tar+gzip`)))
  const manifest = await put(
    json({ schemaVersion: 2, mediaType: `${type}.manifest.v1+json`, config, layers: packed }),
    `${type}.manifest.v1+json`,
  )
  const annotations = { 'org.opencontainers.image.ref.name': 'v1' }
  await writeFile(
    join(dir, 'index.json'),
    json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  )
  await writeFile(join(dir, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }))
}

interface Entry {
  path: string
  content?: Buffer | string
  type?: string
  link?: string
  mode?: number
  uid?: number
}

const [FILE, HARD_LINK, SYMLINK, CHARACTER_DEVICE, DIRECTORY] = ['0', '1', '2', '3', '5']

/** A tar file (POSIX ustar) with any paths, those that no honest program would write too. */
function tar(entries: Entry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    const header = Buffer.alloc(512)
    const octal = (value: number, offset: number, length: number) =>
      header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset)
    header.write(entry.path, 0, 100)
    octal(entry.mode ?? 0o644, 100, 8)
    octal(entry.uid ?? 0, 108, 8)
    octal(entry.uid ?? 0, 116, 8)
    octal(content.length, 124, 12)
    octal(1_704_067_200, 136, 12)
    header.write(' '.repeat(8), 148)
    header.write(entry.type ?? FILE, 156)
    header.write(entry.link ?? '', 157, 100)
    header.write('ustar\x0000', 257)
    octal(1, 329, 8)
    octal(3, 337, 8)
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      148,
      7,
    )
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}
