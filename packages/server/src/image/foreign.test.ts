import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../lib/command.ts'
import { describeWith } from '../lib/describe-with.test-kit.ts'
import { fetchForeign } from './foreign.ts'
import { MIB, makePlace, reasonOf } from './import.test-kit.ts'

let place: Awaited<ReturnType<typeof makePlace>>
let workDir: string
beforeEach(async () => {
  place = await makePlace({ maxImageBytes: 4 * MIB })
  workDir = join(place.dir, 'work')
  await mkdir(workDir)
})
afterEach(() => place.cleanUp())

/** A disk that starts like one with a boot loader: code, then the sign of a boot sector. */
function bootableDisk(): Buffer {
  const disk = randomBytes(MIB)
  disk.writeUInt16BE(0x55aa, 510)
  return disk
}

/** The same as an ISO 9660 file system, as far as its sign tells. */
function iso(disk: Buffer): Buffer {
  disk.write('\x01CD001\x01', 16 * 2048, 'latin1')
  return disk
}

async function qcow2Of(disk: Buffer): Promise<Buffer> {
  const raw = join(place.dir, 'source.raw')
  const image = join(place.dir, 'source.qcow2')
  await writeFile(raw, disk)
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, image])
  return readFile(image)
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function serveAt(bytes: Buffer | string): Promise<string> {
  const url = await place.serve((_, response) => response.end(bytes))
  return `${url}/disk.img`
}

async function fetched(url: string) {
  const progress: (number | null)[] = []
  const work = {
    workDir,
    signal: new AbortController().signal,
    onProgress: (at: number | null) => progress.push(at),
  }
  const { disk, sources, ...more } = await fetchForeign(url, place.importer, work)
  expect(more).toEqual({})
  expect(await readdir(workDir)).toEqual(['disk'])
  const raw = join(place.dir, 'fetched.raw')
  await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', disk, raw])
  return { content: await readFile(raw), sources, progress }
}

/** Why an address is refused, once it is sure that nothing is left of it. */
async function refusal(url: string): Promise<string> {
  const work = { workDir, signal: new AbortController().signal, onProgress: () => {} }
  const reason = await reasonOf(fetchForeign(url, place.importer, work))
  expect(await readdir(workDir)).toEqual([])
  expect(await readdir(place.scratchDir)).toEqual([])
  return reason
}

const programs = ['qemu-img', 'setpriv', 'prlimit']

describeWith(programs, 'a boot image from elsewhere', () => {
  test.each([
    ['qcow2', qcow2Of],
    ['raw', async (disk: Buffer) => disk],
    ['ISO', async (disk: Buffer) => iso(disk)],
    ['packed qcow2', async (disk: Buffer) => gzipSync(await qcow2Of(disk))],
  ])('becomes a disk with its content: %s', async (_, pack) => {
    const disk = bootableDisk()
    const file = await pack(disk)
    const { content, sources, progress } = await fetched(await serveAt(file))
    expect(content.equals(disk)).toBe(true)
    expect(sources[1]).toBe(`sha256:${sha256Of(file)}`)
    expect(progress.at(-1)).toBe(1)
  })

  test('is put on record without what may be a key in its address', async () => {
    const url = await serveAt(bootableDisk())
    const { sources } = await fetched(`${url}?token=secret`)
    expect(sources[0]).toBe(url)
  })

  test('is taken when it has the checksum that its address asks for, in letters of either case', async () => {
    const disk = bootableDisk()
    const url = await serveAt(disk)
    const { content } = await fetched(`${url}#sha256=${sha256Of(disk).toUpperCase()}`)
    expect(content.equals(disk)).toBe(true)
  })
})

describeWith(programs, 'a boot image from elsewhere is refused, and leaves nothing', () => {
  test('when it has another checksum than its address asks for', async () => {
    const disk = bootableDisk()
    const url = await serveAt(disk)
    const other = 'a'.repeat(64)
    expect(await refusal(`${url}#sha256=${other}`)).toBe(
      `The file's SHA-256 is ${sha256Of(disk)}, not ${other} as given in the URL.`,
    )
  })

  test.each(['md5=d41d8cd98f00b204e9800998ecf8427e', 'sha256=abc', 'part-two'])(
    'when its address ends in #%s, before anybody is asked',
    async (fragment) => {
      let asked = false
      const url = await place.serve((_, response) => {
        asked = true
        response.end(bootableDisk())
      })
      await mkdir(place.scratchDir, { recursive: true })
      expect(await refusal(`${url}/disk.img#${fragment}`)).toContain('may only contain a checksum')
      expect(asked).toBe(false)
    },
  )

  test.each([
    ['without a boot sector', (disk: Buffer) => disk.fill(0, 510, 512), 'has no boot sector'],
    ['with a boot sector without code', (disk: Buffer) => disk.fill(0, 0, 440), 'may support UEFI only'],
    ['that is an ISO for optical drives', (disk: Buffer) => iso(disk).fill(0, 510, 512), 'not a hybrid'],
  ])('when it is a disk %s', async (_, spoil, reason) => {
    const disk = spoil(bootableDisk())
    expect(await refusal(await serveAt(disk))).toContain(reason)
    expect(await refusal(await serveAt(await qcow2Of(disk)))).toContain(reason)
  })

  test('when it is a disk smaller than a boot sector', async () => {
    expect(await refusal(await serveAt(Buffer.alloc(100, 'x')))).toContain('has no boot sector')
  })

  test('when it builds on a file of the host, as every import is', async () => {
    const image = join(place.dir, 'hostile.qcow2')
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', '/etc/passwd', '-F', 'raw', image])
    expect(await refusal(await serveAt(await readFile(image)))).toContain('depends on another file')
  })
})
