import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeSourcePolicy } from './download-policy.ts'
import { lookAtImage } from './foreign-look.ts'
import { MIB, serve } from './import.test-kit.ts'

const GIB = 1024 * MIB

async function at(answer: RequestListener): Promise<string> {
  const { url, stop } = await serve(answer)
  onTestFinished(stop)
  return `${url}/disk.img`
}

/** A server of one file that can send parts of it. */
const file = (bytes: Buffer, size = bytes.length) =>
  at((request, response) => {
    const [, last] = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (size === 0 || last === undefined) return void response.writeHead(416).end()
    const part = bytes.subarray(0, Number(last) + 1)
    response.writeHead(206, { 'content-range': `bytes 0-${part.length - 1}/${size}` }).end(part)
  })

const look = (url: string, more: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  lookAtImage(url, {
    policy: makeSourcePolicy(['127.0.0.1']),
    pace: { stallMs: 5000, retryMs: 1 },
    limits: { maxImageBytes: 4 * GIB, maxVirtualBytes: 100 * GIB },
    signal: more.signal ?? new AbortController().signal,
    ...(more.timeoutMs === undefined ? {} : { timeoutMs: more.timeoutMs }),
  })

/** The beginning of a disk with a boot loader. */
function disk(): Buffer {
  const start = randomBytes(100_000)
  start.writeUInt16BE(0x55aa, 510)
  return start
}

/** The header of a qcow2 image, and nothing else of it. */
function qcow2({ virtualBytes = 3 * GIB, backing = 0, crypt = 0, features = 0 } = {}): Buffer {
  const header = Buffer.alloc(4096)
  header.write('QFI\xfb', 'latin1')
  header.writeUInt32BE(3, 4)
  header.writeBigUInt64BE(BigInt(backing), 8)
  header.writeBigUInt64BE(BigInt(virtualBytes), 24)
  header.writeUInt32BE(crypt, 32)
  header.writeBigUInt64BE(BigInt(features), 72)
  return header
}

function vmdk(): Buffer {
  const header = Buffer.alloc(512)
  header.write('KDMV')
  header.writeBigUInt64LE(BigInt((2 * GIB) / 512), 12)
  return header
}

function iso(): Buffer {
  const image = disk()
  image.write('CD001', 32_769)
  return image
}

describe('a look at a boot image', () => {
  it.each([
    ['qcow2', qcow2(), { format: 'qcow2', virtualBytes: 3 * GIB }],
    ['raw', disk(), { format: 'raw', virtualBytes: GIB }],
    ['VMDK', vmdk(), { format: 'vmdk', virtualBytes: 2 * GIB }],
    ['ISO', iso(), { format: 'iso', virtualBytes: GIB }],
    ['packed', gzipSync(disk()), { format: 'packed', virtualBytes: null }],
  ])('tells format and sizes: %s', async (_, bytes, found) => {
    expect(await look(await file(bytes, GIB))).toEqual({ downloadBytes: GIB, ...found })
  })

  it('asks for the beginning alone, and hangs up on a server that sends everything', async () => {
    let range: string | undefined
    const hungUp = Promise.withResolvers<number>()
    const chunk = disk()
    const url = await at((request, response) => {
      range = request.headers.range
      let sent = 0
      response.setHeader('content-length', GIB)
      const more = () => {
        do sent += chunk.length
        while (response.write(chunk))
        response.once('drain', more)
      }
      response.on('close', () => hungUp.resolve(sent))
      more()
    })
    expect(await look(url)).toEqual({ downloadBytes: GIB, format: 'raw', virtualBytes: GIB })
    expect(range).toBe('bytes=0-65535')
    expect(await hungUp.promise).toBeLessThan(GIB / 4)
  })

  it('does not know the size when the server does not tell', async () => {
    const url = await at((_, response) => {
      response.write(disk())
      response.end()
    })
    expect(await look(url)).toEqual({ downloadBytes: null, format: 'raw', virtualBytes: null })
  })

  it('follows a redirect, and takes an address with a checksum', async () => {
    const url = await file(qcow2())
    const start = await at((_, response) => void response.writeHead(302, { location: url }).end())
    expect(await look(`${start}#sha256=${'a'.repeat(64)}`)).toMatchObject({ format: 'qcow2' })
  })
})

describe('a look at a boot image says what is wrong with', () => {
  it.each([
    ['an empty file', Buffer.alloc(0), 'The file is empty.'],
    ['a web page', Buffer.from('<!DOCTYPE html>'), 'points to a web page'],
    ['a disk without a boot sector', disk().fill(0, 510, 512), 'has no boot sector'],
    ['a disk for UEFI', disk().fill(0, 0, 440), 'may support UEFI only'],
    ['an ISO image that is no hybrid', iso().fill(0, 510, 512), 'not a hybrid'],
    ['a qcow2 image with a backing file', qcow2({ backing: 512 }), 'depends on another file'],
    ['a qcow2 image with an external data file', qcow2({ features: 4 }), 'data in another file'],
    ['an encrypted qcow2 image', qcow2({ crypt: 2 }), 'is encrypted'],
    ['a qcow2 image too large', qcow2({ virtualBytes: 101 * GIB }), 'larger than the limit of 100 GiB'],
    ['a qcow2 image of no size', qcow2({ virtualBytes: 0 }), 'a size of zero'],
    ['a qcow2 image that ends in its header', qcow2().subarray(0, 20), 'damaged or incomplete'],
    ['a VMDK image that ends in its header', vmdk().subarray(0, 10), 'damaged or incomplete'],
  ])('%s', async (_, bytes, reason) => {
    await expect(look(await file(bytes))).rejects.toThrow(reason)
  })

  it('a file above the limit', async () => {
    const tooLarge = 'The file is larger than the limit of 4 GiB'
    await expect(look(await file(qcow2(), 5 * GIB))).rejects.toThrow(tooLarge)
  })

  it('an address that is answered by no file', async () => {
    const url = await at((_, response) => void response.writeHead(404).end('<html>'))
    const sentence = { name: 'ImportError', message: 'The server answered 404 Not Found.' }
    await expect(look(url)).rejects.toMatchObject(sentence)
  })

  it('an address nobody may or can fetch from', async () => {
    for (const [url, reason] of [
      ['http://10.0.0.1/disk.qcow2', 'private network'],
      ['http://no-such-host.invalid/disk.qcow2', 'The host name could not be resolved.'],
      ['disk.qcow2', 'Enter an http or https URL'],
      ['https://example.org/disk.qcow2#md5=abc', 'may only contain a checksum'],
    ] as const)
      await expect(look(url)).rejects.toThrow(reason)
  })

  it('a server that does not answer in time, or stops in the middle', async () => {
    const silent = await at(() => {})
    const late = { name: 'ImportError', message: 'The server took too long to respond.', retryable: true }
    await expect(look(silent, { timeoutMs: 50 })).rejects.toMatchObject(late)
    const stopping = await at((_, response) => void response.write('x'))
    await expect(look(stopping, { timeoutMs: 50 })).rejects.toMatchObject(late)
    const breaking = await at((_, response) => {
      response.setHeader('content-length', 1000)
      response.write('x', () => response.destroy())
    })
    await expect(look(breaking)).rejects.toMatchObject({ name: 'ImportError', retryable: true })
  })
})

it('a look at a boot image that is called off ends with that', async () => {
  const ending = new AbortController()
  const url = await at(() => ending.abort(new Error('not wanted any more')))
  await expect(look(url, { signal: ending.signal })).rejects.toThrow('not wanted any more')
})
