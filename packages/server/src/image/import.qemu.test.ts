import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../lib/command.ts'
import { describeWith } from '../lib/describe-with.test-kit.ts'
import { MIB, makePlace } from './import.test-kit.ts'
import { type Box, giveToBox, isUnable, runAsForeignRoot, runBoxed } from './import-box.ts'

const content = randomBytes(2 * MIB)
const isRoot = process.getuid?.() === 0

let place: Awaited<ReturnType<typeof makePlace>>
beforeEach(async () => {
  place = await makePlace()
})
afterEach(() => place.cleanUp())

/** A disk image with the content above, made by QEMU. */
async function makeImage(format: string, ...options: string[]): Promise<string> {
  const raw = join(place.dir, 'content')
  const image = join(place.dir, `source.${format}`)
  await writeFile(raw, content)
  await run('qemu-img', ['convert', '-f', 'raw', '-O', format, ...options, raw, image])
  return image
}

/** An image file with some bytes of it replaced. */
async function patched(image: string, offset: number, bytes: Buffer): Promise<string> {
  const file = await open(image, 'r+')
  await file.write(bytes, 0, bytes.length, offset)
  await file.close()
  return image
}

const be64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

describeWith(['qemu-img', 'setpriv', 'prlimit', 'xz'], 'an imported image', () => {
  test.each([
    ['qcow2', []],
    ['qcow2', ['-c']],
    ['qcow2', ['-o', 'compat=0.10']],
    ['vmdk', []],
    ['vmdk', ['-o', 'subformat=streamOptimized']],
    ['raw', []],
  ])('has the content of a %s image made with %j', async (format, options) => {
    const image = await makeImage(format, ...options)
    const got = await place.take(await place.serveFile(image))
    expect(got.content.equals(content)).toBe(true)
    expect(got.virtualBytes).toBe(content.length)
    expect(got.sha256).toBe(
      createHash('sha256')
        .update(await readFile(image))
        .digest('hex'),
    )
    expect(got.progress.at(-1)).toBe(1)
  })

  test('is a qcow2 file of this process, which depends on no other', async () => {
    await place.take(await place.serveFile(await makeImage('qcow2')))
    const info = JSON.parse(await run('qemu-img', ['info', '--output=json', '-f', 'qcow2', place.target]))
    expect(info).not.toHaveProperty('backing-filename')
    expect(info['format-specific'].data).not.toHaveProperty('data-file')
    expect(await stat(place.target)).toMatchObject({ uid: process.getuid?.(), mode: 0o100600 })
  })

  test('of an ISO file is raw, filled up to whole sectors', async () => {
    const iso = Buffer.concat([Buffer.alloc(32_768), Buffer.from('\x01CD001\x01'), content.subarray(0, 1000)])
    const got = await place.take(await place.serveFile(iso))
    expect(got.virtualBytes).toBe(Math.ceil(iso.length / 512) * 512)
    expect(got.content.subarray(0, iso.length).equals(iso)).toBe(true)
  })

  test('leaves snapshots inside behind', async () => {
    const image = await makeImage('qcow2')
    await run('qemu-img', ['snapshot', '-c', 'before', image])
    const got = await place.take(await place.serveFile(image))
    expect(got.content.equals(content)).toBe(true)
    expect(await run('qemu-img', ['snapshot', '-l', place.target])).toBe('')
  })

  test.each(['gzip', 'xz', 'zstd'])('is unpacked when it is packed with %s', async (packing) => {
    const image = await makeImage('qcow2')
    const bytes = await readFile(image)
    if (packing === 'xz') await run('xz', ['--keep', image])
    const packed =
      packing === 'xz'
        ? await readFile(`${image}.xz`)
        : (packing === 'gzip' ? gzipSync : zstdCompressSync)(bytes)
    const got = await place.take(await place.serveFile(packed))
    expect(got.content.equals(content)).toBe(true)
    expect(got.sha256).toBe(createHash('sha256').update(packed).digest('hex'))
  })

  test('replaces nothing until it is complete', async () => {
    await writeFile(place.target, 'the old one')
    const work = { signal: new AbortController().signal, onProgress: () => {} }
    await expect(
      place.importer.import(await place.serveFile(Buffer.alloc(0)), place.target, work),
    ).rejects.toThrow('The file is empty.')
    expect(await readFile(place.target, 'utf8')).toBe('the old one')
    const got = await place.take(await place.serveFile(await makeImage('qcow2')))
    expect(got.content.equals(content)).toBe(true)
  })
})

describeWith(['qemu-img', 'setpriv', 'prlimit'], 'a hostile image', () => {
  const secret = Buffer.from('the secret of the host'.padEnd(4096, '.'))
  let secretFile: string

  beforeEach(async () => {
    await chmod(place.dir, 0o755)
    secretFile = join(place.dir, 'secret')
    await writeFile(secretFile, secret, { mode: 0o644 })
  })

  /** What QEMU makes of an image without the inspection. */
  async function withoutInspection(image: string, format: string): Promise<Buffer> {
    const leaked = join(place.dir, 'leaked')
    await run('qemu-img', ['convert', '-f', format, '-O', 'raw', image, leaked])
    return readFile(leaked)
  }

  const backedBy = async (backing: string, format: string) => {
    const image = join(place.dir, 'hostile.qcow2')
    await run('qemu-img', [
      ...['create', '-q', '-u', '-f', 'qcow2', '-b', backing, '-F', format],
      ...[image, `${secret.length}`],
    ])
    return image
  }

  test.each([
    ['a path', () => secretFile],
    [
      'a json: name',
      () => `json:${JSON.stringify({ driver: 'raw', file: { driver: 'file', filename: secretFile } })}`,
    ],
  ])('whose backing file is a file of the host (by %s) is refused', async (_, backing) => {
    const image = await backedBy(backing(), 'raw')
    expect((await withoutInspection(image, 'qcow2')).includes('the secret of the host')).toBe(true)
    expect(await place.refusal(await place.serveFile(image))).toContain('depends on another file')
  })

  test('whose backing file is a server is refused, and the server is not asked', async () => {
    let asked = false
    const url = new URL(
      await place.serve((_, response) => {
        asked = true
        response.end()
      }),
    )
    const server = { driver: 'nbd', server: { type: 'inet', host: url.hostname, port: url.port } }
    const image = await backedBy(`json:${JSON.stringify(server)}`, 'raw')
    expect(await place.refusal(await place.serveFile(image))).toContain('depends on another file')
    expect(asked).toBe(false)
  })

  test('that keeps its data in a file of the host is refused', async () => {
    const image = join(place.dir, 'hostile.qcow2')
    const data = join(place.dir, 'data')
    const options = `data_file=${data},data_file_raw=on`
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-o', options, image, `${secret.length}`])
    await writeFile(data, secret)
    expect((await withoutInspection(image, 'qcow2')).includes('the secret of the host')).toBe(true)
    expect(await place.refusal(await place.serveFile(image))).toContain('data in another file')
  })

  const describingVmdk = () =>
    [
      '# Disk DescriptorFile',
      'version=1',
      'CID=fffffffe',
      'parentCID=ffffffff',
      'createType="monolithicFlat"',
      '',
      `RW ${secret.length / 512} FLAT "${secretFile}" 0`,
      '',
    ].join('\n')

  test('that is a text which names a file of the host (VMDK) is refused', async () => {
    const image = join(place.dir, 'hostile.vmdk')
    await writeFile(image, describingVmdk())
    expect((await withoutInspection(image, 'vmdk')).includes('the secret of the host')).toBe(true)
    expect(await place.refusal(await place.serveFile(image))).toContain('a description of other files')
  })

  test('that has such a text inside, behind a header that looks harmless, is refused', async () => {
    // The header of a sparse VMDK with no capacity of its own: QEMU then believes the description in it.
    const header = Buffer.alloc(512)
    header.write('KDMV')
    header.writeUInt32LE(1, 4)
    header.writeUInt32LE(3, 8)
    header.writeBigUInt64LE(128n, 20)
    header.writeBigUInt64LE(1n, 28)
    header.writeBigUInt64LE(20n, 36)
    header.writeUInt32LE(512, 44)
    const image = join(place.dir, 'hostile.vmdk')
    const description = Buffer.alloc(20 * 512)
    description.write(describingVmdk())
    await writeFile(image, Buffer.concat([header, description]))
    expect((await withoutInspection(image, 'vmdk')).includes('the secret of the host')).toBe(true)
    expect(await place.refusal(await place.serveFile(image))).toContain('consists of several files')
  })

  test('that is a VMDK on top of a file of the host is refused', async () => {
    const parent = await makeImage('vmdk')
    const image = join(place.dir, 'hostile.vmdk')
    await run('qemu-img', ['create', '-q', '-f', 'vmdk', '-b', parent, '-F', 'vmdk', image])
    expect((await withoutInspection(image, 'vmdk')).equals(content)).toBe(true)
    expect(await place.refusal(await place.serveFile(image))).toContain('depends on another file')
  })

  test('that is a packed one is refused the same', async () => {
    const image = await backedBy(secretFile, 'raw')
    const packed = await place.serveFile(gzipSync(await readFile(image)))
    expect(await place.refusal(packed)).toContain('depends on another file')
  })

  test('that is encrypted is refused', async () => {
    const image = join(place.dir, 'encrypted.qcow2')
    // Not LUKS: making that measures the processor, and fails now and then on a busy host.
    await run('qemu-img', [
      ...['create', '-q', '-f', 'qcow2', '--object', 'secret,id=key,data=abc'],
      ...['-o', 'encrypt.format=aes,encrypt.key-secret=key', image, '1M'],
    ])
    expect(await place.refusal(await place.serveFile(image))).toBe('The image is encrypted.')
  })

  test('that promises more room than the limit is refused', async () => {
    const image = join(place.dir, 'large.qcow2')
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', image, '1025M'])
    expect(await place.refusal(await place.serveFile(image))).toBe(
      'The disk in the image is larger than the limit of 1 GiB.',
    )
  })

  test('that promises 8 EiB is refused', async () => {
    const image = await patched(await makeImage('qcow2'), 24, be64(2n ** 63n - 512n))
    expect(await place.refusal(await place.serveFile(image))).toContain('damaged')
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-o', 'cluster_size=2M', image, '1E'])
    expect(await place.refusal(await place.serveFile(image))).toContain('larger than the limit of 1 GiB')
  })

  test.each(['gzip', 'zstd', 'xz'])(
    'that unpacks to more than the limit is refused (%s)',
    async (packing) => {
      const zeros = Buffer.alloc(257 * MIB)
      const file = join(place.dir, 'zeros')
      if (packing === 'xz') {
        await writeFile(file, zeros)
        await run('xz', ['-0', file])
      }
      const packed =
        packing === 'xz'
          ? await readFile(`${file}.xz`)
          : (packing === 'gzip' ? gzipSync : zstdCompressSync)(zeros)
      expect(await place.refusal(await place.serveFile(packed))).toBe(
        'The unpacked image is larger than the limit of 256 MiB.',
      )
    },
  )
})

describeWith(['qemu-img', 'setpriv', 'prlimit'], 'what is no usable image', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'The file is empty.'],
    ['a web page', '\n<!DOCTYPE html><html><body>Please sign in</body></html>', 'points to a web page'],
    ['a web page with a mark in front', '\ufeff<html lang="en">', 'points to a web page'],
    ['an XML error', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', 'points to a web page'],
    ['a ZIP archive', 'PK\x03\x04', 'is a ZIP archive'],
    ['a tar archive', Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0')]), 'is a tar archive'],
    ['a VHDX image', 'vhdxfile', 'is a VHDX image'],
    ['something packed twice', gzipSync(gzipSync('x')), 'packed twice'],
    [
      'something packed that ends early',
      gzipSync(randomBytes(5000)).subarray(0, 2000),
      'packed image is damaged',
    ],
  ])('is refused: %s', async (_, bytes, reason) => {
    expect(await place.refusal(await place.serveFile(Buffer.from(bytes)))).toContain(reason)
  })

  test.each([
    ['its beginning', 1000],
    ['its tables', 200_000],
    ['most of it', 1_500_000],
  ])('is refused: a qcow2 image with only %s', async (_, length) => {
    const image = await makeImage('qcow2')
    await truncate(image, length)
    expect(await place.refusal(await place.serveFile(image))).toBe('The image is damaged or incomplete.')
  })

  test('is refused: a VMDK image that ends early', async () => {
    const image = await makeImage('vmdk')
    await truncate(image, 1_500_000)
    expect(await place.refusal(await place.serveFile(image))).toBe('The image is damaged or incomplete.')
  })

  test.each([
    ['an L1 table outside of the file', 40],
    ['a refcount table outside of the file', 48],
  ])('is refused: a qcow2 image with %s', async (_, offset) => {
    const image = await patched(await makeImage('qcow2'), offset, be64(2n ** 45n))
    expect(await place.refusal(await place.serveFile(image))).toBe('The image is damaged or incomplete.')
  })

  test('is refused: what is at no address, or at an address nobody may fetch from', async () => {
    expect(await place.refusal({ from: 'url', url: 'nonsense' })).toContain('Enter an http or https URL')
    expect(await place.refusal({ from: 'url', url: 'file:///etc/passwd' })).toContain('Only http and https')
    expect(await place.refusal({ from: 'url', url: 'http://127.0.0.2/' })).toContain('private network')
  })
})

describeWith(['qemu-img', 'setpriv', 'prlimit'], 'an import that ends early', () => {
  test('because it is called off leaves nothing', async () => {
    const work = new AbortController()
    const url = await place.serve((_, response) => {
      response.write(content)
      setTimeout(() => work.abort(new Error('not wanted any more')), 50)
    })
    await expect(place.take({ from: 'url', url }, work.signal)).rejects.toThrow('not wanted any more')
    expect(await place.traces()).toEqual({ scratch: [], targets: [] })
  })

  test('while a program works on it leaves nothing', async () => {
    const work = new AbortController()
    const source = await place.serveFile(await makeImage('qcow2'))
    const onProgress = (fraction: number | null) => {
      if (fraction === 0.9) setTimeout(() => work.abort(new Error('not wanted any more')), 10)
    }
    await expect(
      place.importer.import(source, place.target, { signal: work.signal, onProgress }),
    ).rejects.toThrow('not wanted any more')
    expect(await place.traces()).toEqual({ scratch: [], targets: [] })
  })

  test('because the process was killed is cleared away by the next one', async () => {
    const left = join(place.scratchDir, 'import-killed', 'rootfs')
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'file'), content)
    await giveToBox(place.scratchDir)
    await place.importer.clearScratch()
    expect((await place.traces()).scratch).toEqual([])
    await rm(place.scratchDir, { recursive: true })
    await place.importer.clearScratch()
  })

  test.skipIf(!isRoot)('because the disk of the host is full says so and leaves nothing', async () => {
    await mkdir(place.scratchDir)
    // Less than what is always left free.
    await run('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', place.scratchDir])
    try {
      const url = await place.serve((_, response) => void response.write(content))
      const work = { signal: new AbortController().signal, onProgress: () => {} }
      await expect(place.importer.import({ from: 'url', url }, place.target, work)).rejects.toMatchObject({
        message: 'The disk of the host is full.',
        noSpace: true,
        retryable: true,
      })
      expect(await place.traces()).toEqual({ scratch: [], targets: [] })
    } finally {
      await run('umount', [place.scratchDir])
    }
  })
})

describeWith(['setpriv', 'prlimit', 'unshare'], 'the box for programs that read foreign bytes', () => {
  let box: Box
  beforeEach(async () => {
    // Closed to everybody else, as the data directory is.
    await chmod(place.dir, 0o700)
    const cwd = join(place.dir, 'box')
    await mkdir(cwd, { mode: 0o700 })
    await giveToBox(cwd)
    const limits = { timeoutMs: 20_000, memoryBytes: 200 * MIB, maxFileBytes: 5 * MIB }
    box = { cwd, signal: new AbortController().signal, ...limits }
  })
  const ways = [
    ['as a nobody', runBoxed],
    ['as root of a namespace', runAsForeignRoot],
  ] as const

  test.each(ways)('bounds memory (%s)', async (_, runIn) => {
    // A shell keeps in memory what it reads into a variable.
    const hoard = (bytes: number) => ['-c', `x=$(head -c ${bytes} /dev/zero | tr '\\0' a) && echo kept`]
    expect(await runIn('sh', hoard(10_000_000), box)).toBe('kept\n')
    await expect(runIn('sh', hoard(300_000_000), box)).rejects.toThrow()
  })

  test.each(ways)('bounds files, time and words (%s)', async (_, runIn) => {
    await expect(runIn('dd', ['if=/dev/zero', 'of=file', 'bs=1M', 'count=6'], box)).rejects.toThrow()
    await expect(runIn('sleep', ['60'], { ...box, timeoutMs: 200 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    })
    await expect(runIn('yes', [], box)).rejects.toMatchObject({ code: 'ENOBUFS' })
    expect(isUnable(await runIn('no-such-program', [], box).catch((error: unknown) => error))).toBe(true)
  })

  test.skipIf(!isRoot).each(ways)(
    'reads nothing of the host that is not for everybody (%s)',
    async (_, runIn) => {
      await writeFile(join(place.dir, 'secret'), 'x', { mode: 0o600 })
      await expect(runIn('cat', ['../secret'], box)).rejects.toThrow('Permission denied')
      await expect(runIn('cat', ['/etc/shadow'], box)).rejects.toThrow('Permission denied')
      await expect(runIn('touch', ['/etc/new'], box)).rejects.toThrow('Permission denied')
      await runIn('touch', ['file'], box)
      expect((await stat(join(box.cwd, 'file'))).uid).toBe(0x7ffe0000)
    },
  )

  test('has no network for whoever unpacks', async () => {
    expect((await runAsForeignRoot('cat', ['/proc/net/route'], box)).trim().split('\n')).toHaveLength(1)
    expect(await runAsForeignRoot('id', ['-u'], box)).toBe('0\n')
  })
})
