import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { download } from './download.ts'
import { makeSourcePolicy } from './download-policy.ts'
import { get, type Pace } from './download-request.ts'
import { serve as serveOnLoopback } from './import.test-kit.ts'

const content = randomBytes(300_000)
const sha256 = createHash('sha256').update(content).digest('hex')

const dir = directoryOfFile()

/** For one test. */
async function serve(answer: RequestListener, host?: string) {
  const server = await serveOnLoopback(answer, host)
  onTestFinished(server.stop)
  return server
}

const whole: RequestListener = (_, response) => {
  response.setHeader('content-length', content.length)
  response.end(content)
}

/** Servers are on loopback, which has to be listed; 127.0.0.2 is not. */
async function fetch(
  url: string,
  more: { maxBytes?: number; signal?: AbortSignal; pace?: Partial<Pace> } = {},
) {
  const progress: [number, number | null][] = []
  const path = `${dir}/file-${Math.random()}`
  const fetching = {
    signal: more.signal ?? new AbortController().signal,
    policy: makeSourcePolicy(['127.0.0.1']),
    pace: { stallMs: 150, retryMs: 1, ...more.pace },
  }
  const result = await download({
    ...fetching,
    ask: (headers) => get(new URL(url), headers, fetching),
    path,
    maxBytes: more.maxBytes ?? 1_000_000,
    onProgress: (received, total) => progress.push([received, total]),
  })
  return { ...result, progress, bytesThere: await readFile(path) }
}

describe('a download', () => {
  it('arrives whole, with its checksum and its progress', async () => {
    const { url } = await serve(whole)
    const got = await fetch(url)
    expect(got.sha256).toBe(sha256)
    expect(got.bytesThere.equals(content)).toBe(true)
    expect(got.progress.at(-1)).toEqual([content.length, content.length])
  })

  it('has no known end while the server does not tell one', async () => {
    const { url } = await serve((_, response) => {
      response.write(content)
      response.end()
    })
    const got = await fetch(url)
    expect(got.sha256).toBe(sha256)
    expect(got.progress.at(-1)).toEqual([content.length, null])
  })

  it('is ended when its work is called off', async () => {
    const work = new AbortController()
    const { url } = await serve((_, response) => {
      response.write(content)
      setTimeout(() => work.abort(new Error('not wanted any more')), 20)
    })
    await expect(fetch(url, { signal: work.signal })).rejects.toThrow('not wanted any more')
  })

  it('says so when there is no such host or nobody answers', async () => {
    const { url } = await serve(() => {})
    const unknown = fetch('http://no-such-host.invalid/')
    await expect(unknown).rejects.toThrow('The host name could not be resolved.')
    // Port 1 of loopback has no server.
    const refused = { message: 'The server refused the connection.', retryable: true }
    await expect(fetch(url.replace(/\d+$/, '1'))).rejects.toMatchObject(refused)
  })
})

describe('redirects', () => {
  const hops = async (count: number) => {
    const { url } = await serve((request, response) => {
      const at = Number(request.url?.slice(1))
      if (at < count) response.writeHead(302, { location: `/${at + 1}` }).end()
      else response.end(content)
    })
    return `${url}/0`
  }

  it('are followed five times, and no more', async () => {
    expect((await fetch(await hops(5))).sha256).toBe(sha256)
    await expect(fetch(await hops(6))).rejects.toThrow('The server redirects too often.')
  })

  it.each([301, 302, 303, 307, 308])('with status %i are checked again', async (status) => {
    const inside = await serve((_, response) => response.end('secret'), '127.0.0.2')
    const outside = await serve((_, response) => response.writeHead(status, { location: inside.url }).end())
    await expect(fetch(outside.url)).rejects.toThrow('The URL points into a private network')
    expect(inside.seen).toEqual([])
  })

  it.each([
    'file:///etc/passwd',
    'http://user:secret@127.0.0.1/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://',
  ])('to %s are not followed', async (location) => {
    const { url } = await serve((_, response) => response.writeHead(302, { location }).end())
    await expect(fetch(url)).rejects.toMatchObject({ name: 'ImportError', retryable: false })
  })

  it('to a name are followed to allowed addresses of that name only', async () => {
    const inside = await serve((_, response) => response.end('secret'), '127.0.0.2')
    // localhost is 127.0.0.1, where that port is closed, whatever else answers to the name.
    const location = inside.url.replace('127.0.0.2', 'localhost')
    const { url } = await serve((_, response) => response.writeHead(302, { location }).end())
    await expect(fetch(url)).rejects.toThrow('The server refused the connection.')
    expect(inside.seen).toEqual([])
  })
})

describe('the limit of size', () => {
  it('stops what announces too much, before a byte of it is stored', async () => {
    const { url, seen } = await serve(whole)
    await expect(fetch(url, { maxBytes: content.length - 1 })).rejects.toMatchObject({
      message: expect.stringContaining('The file is larger than'),
      retryable: false,
    })
    expect(seen).toHaveLength(1)
    expect((await fetch(url, { maxBytes: content.length })).bytes).toBe(content.length)
  })

  it('stops what never ends', async () => {
    let sent = 0
    const { url } = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(content)) sent += content.length
      }
      response.on('drain', more)
      more()
    })
    await expect(fetch(url)).rejects.toThrow('The file is larger than')
    expect(sent).toBeLessThan(50_000_000)
  })
})

describe('a transfer that fails', () => {
  const stopped = { message: 'The server stopped sending data.', retryable: true }

  /** Sends half of the content and breaks the first time; then answers what it is asked for. */
  const breaking = (headers: Record<string, string>, { ranges = true, later = content } = {}) => {
    let times = 0
    return serve((request, response) => {
      times += 1
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      if (times === 1) {
        response.setHeader('content-length', content.length)
        response.write(content.subarray(0, 150_000), () => setTimeout(() => response.destroy(), 20))
        return
      }
      const from = Number(request.headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0)
      const same = later === content
      if (ranges && from > 0 && same) {
        response.setHeader('content-range', `bytes ${from}-${content.length - 1}/${content.length}`)
        response.setHeader('content-length', content.length - from)
        response.writeHead(206).end(content.subarray(from))
      } else {
        response.end(later)
      }
    })
  }

  it.each([
    ['an entity tag', { etag: '"v1"' }, '"v1"'],
    ['a date', { 'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT' }, 'Wed, 01 Jan 2025 00:00:00 GMT'],
  ])('goes on where it ended, held together by %s', async (_, headers, validator) => {
    const { url, seen } = await breaking(headers)
    const got = await fetch(url)
    expect(got.sha256).toBe(sha256)
    expect(got.bytesThere.equals(content)).toBe(true)
    expect(seen[1]?.headers).toMatchObject({
      range: expect.stringMatching(/^bytes=[1-9]\d*-$/),
      'if-range': validator,
    })
    expect(got.progress.at(-1)).toEqual([content.length, content.length])
  })

  it.each([
    ['the server knows no ranges', { etag: '"v1"' }, false],
    ['nothing tells whether the rest is of the same file', {}, true],
    ['the entity tag is a weak one', { etag: 'W/"v1"' }, true],
  ])('starts again when %s', async (_, headers, ranges) => {
    const { url } = await breaking(headers, { ranges })
    const got = await fetch(url)
    expect(got.sha256).toBe(sha256)
    expect(got.bytesThere.equals(content)).toBe(true)
  })

  it('starts again when the file has changed in between', async () => {
    const later = randomBytes(1000)
    const { url } = await breaking({ etag: '"v1"' }, { later })
    const got = await fetch(url)
    expect(got.bytesThere.equals(later)).toBe(true)
    expect(got.sha256).toBe(createHash('sha256').update(later).digest('hex'))
  })

  it('starts again when the server sends another part than it was asked for', async () => {
    let times = 0
    const { url } = await serve((_, response) => {
      times += 1
      response.setHeader('etag', '"v1"')
      if (times === 1) {
        response.setHeader('content-length', content.length)
        response.write(content.subarray(0, 1000), () => setTimeout(() => response.destroy(), 20))
      } else if (times === 2) {
        response.writeHead(206, { 'content-range': `bytes 5-${content.length - 1}/${content.length}` })
        response.end(content.subarray(5))
      } else {
        response.end(content)
      }
    })
    expect((await fetch(url)).sha256).toBe(sha256)
    expect(times).toBe(3)
  })

  it('is ended when the server drips, though it never stops sending', async () => {
    const { url, seen } = await serve((_, response) => {
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    const pace = { slowest: { bytes: 2 ** 20, everyMs: 200 } }
    await expect(fetch(url, { pace })).rejects.toMatchObject({
      message: expect.stringMatching(/^The download is too slow: less than 1 MiB within/),
      retryable: false,
    })
    expect(seen).toHaveLength(1)
  })

  it('is ended when the headers of the answer drip', async () => {
    const { url } = await serve((_, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nX-Drip: ')
      const drip = setInterval(() => response.socket?.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    await expect(fetch(url, { pace: { stallMs: 60 } })).rejects.toMatchObject(stopped)
  })

  it('is given up after five more tries', async () => {
    const { url, seen } = await serve((_, response) => {
      // More is announced than comes.
      response.setHeader('content-length', content.length + 1)
      response.write(content, () => setTimeout(() => response.destroy(), 5))
    })
    const interrupted = { message: 'The connection was interrupted.', retryable: true }
    await expect(fetch(url)).rejects.toMatchObject(interrupted)
    expect(seen).toHaveLength(6)
  })

  it.each([
    ['before the headers', false],
    ['in the body', true],
  ])('ends when nothing comes any more %s', async (_, begins) => {
    const { url } = await serve((_, response) => {
      if (begins) response.write(content)
    })
    await expect(fetch(url)).rejects.toMatchObject(stopped)
  })

  it('is tried again when the server was in trouble', async () => {
    let times = 0
    const { url } = await serve((_, response) => {
      times += 1
      if (times < 4) response.writeHead([500, 503, 429][times - 1] ?? 500).end('trouble')
      else response.end(content)
    })
    expect((await fetch(url)).sha256).toBe(sha256)
  })

  it.each([
    [404, 'The server answered 404 Not Found.'],
    [403, 'The server answered 403 Forbidden.'],
    [206, 'The server answered 206 Partial Content.'],
    [304, 'The server answered 304 Not Modified.'],
  ])('is not tried again when the answer is %i, whose words are not shown', async (status, message) => {
    const { url, seen } = await serve((_, response) => response.writeHead(status, 'Call 555-1234').end())
    await expect(fetch(url)).rejects.toMatchObject({ message, retryable: false })
    expect(seen).toHaveLength(1)
  })
})
