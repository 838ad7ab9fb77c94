import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { directoryForEach } from '../lib/directory.test-kit.ts'
import { makeSourcePolicy } from './download-policy.ts'
import { serve } from './import.test-kit.ts'
import { digestOf } from './registry-client.ts'
import { pull } from './registry-layout.ts'

const oci = 'application/vnd.oci.image'
const docker = 'application/vnd.docker'
const plainLayer = Buffer.from('the bytes of a layer'.repeat(1000))

const at = directoryForEach()

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean | undefined

/** A registry that misbehaves as a test needs: `first` answers what it wants to (true), the rest is by the book. */
async function makeRegistry(first: Answer = () => false, host = '127.0.0.1') {
  const stored = new Map<string, { type: string; bytes: Buffer }>()
  const { url, seen, stop } = await serve((request, response) => {
    if (first(request, response)) return
    const found = stored.get(request.url?.split('/').at(-1) ?? '')
    if (!found) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': found.type }).end(found.bytes)
  }, host)
  onTestFinished(stop)

  const put = (bytes: Buffer, type: string, name = digestOf(bytes)) => {
    stored.set(name, { type, bytes })
    return { mediaType: type, digest: digestOf(bytes), size: bytes.length }
  }
  const putJson = (json: unknown, type: string, name?: string) =>
    put(Buffer.from(JSON.stringify(json)), type, name)
  const putImage = (layers = [put(gzipSync(plainLayer), `${oci}.layer.v1.tar+gzip`)], name?: string) => {
    const config = putJson({ architecture: 'amd64', os: 'linux' }, `${oci}.config.v1+json`)
    return putJson({ schemaVersion: 2, config, layers }, `${oci}.manifest.v1+json`, name)
  }
  return { host: new URL(url).host, url, seen, put, putJson, putImage }
}

async function pullFrom(registry: { host: string }, version = ':v1', maxBytes = 1_000_000) {
  const progress: number[] = []
  const layout = at('layout')
  const { digest } = await pull({
    image: `${registry.host}/team/image${version}`,
    dir: layout,
    maxBytes,
    policy: makeSourcePolicy(['127.0.0.1']),
    pace: { stallMs: 500, retryMs: 1 },
    signal: new AbortController().signal,
    onProgress: (fraction) => progress.push(fraction),
  })
  const read = async (name: string) => JSON.parse(await readFile(join(layout, name), 'utf8'))
  const index = await read('index.json')
  const manifest = await read(`blobs/sha256/${index.manifests[0].digest.slice(7)}`)
  return { digest, progress, manifest, blobs: await readdir(join(layout, 'blobs/sha256')) }
}

describe('a pull', () => {
  it.each([
    ['OCI, gzip', `${oci}.layer.v1.tar+gzip`, gzipSync(plainLayer)],
    ['OCI, zstd', `${oci}.layer.v1.tar+zstd`, zstdCompressSync(plainLayer)],
    ['OCI, plain', `${oci}.layer.v1.tar`, plainLayer],
    ['Docker', `${docker}.image.rootfs.diff.tar.gzip`, gzipSync(plainLayer)],
  ])('keeps layers as the tar files they hold (%s)', async (_, type, bytes) => {
    const registry = await makeRegistry()
    const { digest } = registry.putImage([registry.put(bytes, type)], 'v1')
    const pulled = await pullFrom(registry)
    expect(pulled.digest).toBe(digest)
    expect(pulled.manifest.layers).toEqual([
      { mediaType: `${oci}.layer.v1.tar`, digest: digestOf(plainLayer), size: plainLayer.length },
    ])
    expect(pulled.blobs).toContain(digestOf(plainLayer).slice(7))
    expect(pulled.blobs).toHaveLength(3)
    expect(pulled.progress.at(-1)).toBe(1)
  })

  it('takes Linux on x64 of several', async () => {
    const registry = await makeRegistry()
    const arm = registry.putImage([])
    const x64 = registry.putImage()
    const manifests = [
      { ...x64, platform: { os: 'windows', architecture: 'amd64' } },
      { ...arm, platform: { os: 'linux', architecture: 'arm64' } },
      { ...x64, platform: { os: 'linux', architecture: 'amd64' } },
    ]
    registry.putJson({ schemaVersion: 2, manifests }, `${oci}.index.v1+json`, 'v1')
    expect((await pullFrom(registry)).digest).toBe(x64.digest)

    const others = { manifests: manifests.slice(0, 2) }
    registry.putJson(others, `${docker}.distribution.manifest.list.v2+json`, 'v2')
    await expect(pullFrom(registry, ':v2')).rejects.toThrow('not available for Linux on x64')
  })

  it('by digest takes nothing else', async () => {
    const registry = await makeRegistry()
    const { digest } = registry.putImage()
    expect((await pullFrom(registry, `@${digest}`)).digest).toBe(digest)

    const other = digestOf(Buffer.from('other'))
    registry.putImage(undefined, other)
    await expect(pullFrom(registry, `@${other}`)).rejects.toThrow('data that does not match its manifest')
  })

  it('gets itself a token where the registry wants one', async () => {
    const tokens = await makeRegistry((_, response) => {
      response.end(JSON.stringify({ token: 'for-everybody' }))
      return true
    })
    const registry = await makeRegistry((request, response) => {
      if (request.headers.authorization === 'Bearer for-everybody') return false
      const challenge = `Bearer realm="${tokens.url}/token",service="here"`
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return true
    })
    const { digest } = registry.putImage(undefined, 'v1')
    expect((await pullFrom(registry)).digest).toBe(digest)
    expect(tokens.seen.map(({ url }) => url)).toEqual([
      '/token?service=here&scope=repository%3Ateam%2Fimage%3Apull',
    ])
  })

  it('gets itself another token when the first one has ended', async () => {
    let given = 0
    const registry = await makeRegistry((request, response) => {
      if (request.url?.startsWith('/token')) {
        given += 1
        response.end(JSON.stringify({ token: `${given}` }))
        return true
      }
      const wanted = request.url?.includes('/blobs/') ? 'Bearer 2' : 'Bearer 1'
      if (request.headers.authorization === wanted) return false
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${registry.url}/token"` }).end()
      return true
    })
    registry.putImage(undefined, 'v1')
    await pullFrom(registry)
    expect(given).toBe(2)
  })

  it('follows the registry to where its blobs are, without the token', async () => {
    const store = await makeRegistry()
    const registry = await makeRegistry((request, response) => {
      if (request.url?.startsWith('/token')) {
        response.end(JSON.stringify({ access_token: 'for-everybody' }))
      } else if (request.headers.authorization === undefined) {
        response.writeHead(401, { 'www-authenticate': `Bearer realm="${registry.url}/token"` }).end()
      } else if (request.url?.includes('/blobs/')) {
        response.writeHead(307, { location: store.url + request.url }).end()
      } else return false
      return true
    })
    registry.putImage(undefined, 'v1')
    store.putImage()
    await pullFrom(registry)
    expect(store.seen).toHaveLength(2)
    expect(store.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
  })
})

describe('a hostile registry', () => {
  it.each([
    ['a token server', '/manifests/', 401],
    ['a store of manifests', '/manifests/', 302],
    ['blobs', '/blobs/', 307],
  ])('does not lead to %s in a private network', async (_, part, status) => {
    const inside = await makeRegistry(undefined, '127.0.0.2')
    const registry = await makeRegistry((request, response) => {
      if (!request.url?.includes(part)) return false
      const where = { 'www-authenticate': `Bearer realm="${inside.url}/token"`, location: inside.url }
      response.writeHead(status, where).end()
      return true
    })
    registry.putImage(undefined, 'v1')
    await expect(pullFrom(registry)).rejects.toThrow('The URL points into a private network')
    expect(inside.seen).toEqual([])
  })

  it('that is private itself is not asked, not even for its name', async () => {
    const registry = await makeRegistry(undefined, '127.0.0.2')
    await expect(pullFrom(registry)).rejects.toThrow('The URL points into a private network')
    expect(registry.seen).toEqual([])
  })

  it('cannot send other bytes than it announced', async () => {
    const registry = await makeRegistry()
    const layer = registry.put(gzipSync(plainLayer), `${oci}.layer.v1.tar+gzip`)
    registry.put(gzipSync(Buffer.alloc(10)), layer.mediaType, layer.digest)
    registry.putImage([layer], 'v1')
    await expect(pullFrom(registry)).rejects.toThrow('data that does not match its manifest')
  })

  it('cannot send more bytes than it announced', async () => {
    const registry = await makeRegistry()
    const layer = { ...registry.put(gzipSync(plainLayer), `${oci}.layer.v1.tar+gzip`), size: 10 }
    registry.putImage([layer], 'v1')
    await expect(pullFrom(registry)).rejects.toThrow('The file is larger than')
  })

  it('cannot announce more than the limit', async () => {
    const registry = await makeRegistry()
    const layer = { ...registry.put(gzipSync(plainLayer), `${oci}.layer.v1.tar+gzip`), size: 600_000 }
    registry.putImage([layer, layer], 'v1')
    await expect(pullFrom(registry)).rejects.toThrow('The image is larger than')
    expect(registry.seen.filter(({ url }) => url?.includes('/blobs/'))).toEqual([])
  })

  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('cannot send layers that unpack to more than the limit in all (%s)', async (packing, pack) => {
    const registry = await makeRegistry()
    const layer = (byte: number) =>
      registry.put(pack(Buffer.alloc(600_000, byte)), `${oci}.layer.v1.tar+${packing}`)
    registry.putImage([layer(0), layer(1)], 'v1')
    await expect(pullFrom(registry)).rejects.toThrow('The unpacked image is larger than')
  })

  it('cannot send a manifest without end', async () => {
    const registry = await makeRegistry((request, response) => {
      if (!request.url?.includes('/manifests/')) return false
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1_000_000, ' ')));
      }
      response.on('drain', more)
      more()
      return true
    })
    await expect(pullFrom(registry)).rejects.toThrow('The server sent more data than it announced.')
  })

  it.each([
    ['a manifest of the first kind', { schemaVersion: 1, fsLayers: [] }, 'is not a container image'],
    ['another thing', [], 'is not a container image'],
    [
      'a digest that is a path',
      { config: { mediaType: 'x', digest: 'sha256:../../etc', size: 1 }, layers: [] },
      'is not a container image',
    ],
  ])('is refused with %s', async (_, json, reason) => {
    const registry = await makeRegistry()
    registry.putJson(json, `${oci}.manifest.v1+json`, 'v1')
    await expect(pullFrom(registry)).rejects.toThrow(reason)
  })

  it('cannot have layers fetched from elsewhere', async () => {
    const registry = await makeRegistry()
    const layer = registry.put(plainLayer, `${docker}.image.rootfs.foreign.diff.tar.gzip`)
    registry.putImage([layer], 'v1')
    await expect(pullFrom(registry)).rejects.toThrow('is not a container image')
  })

  it.each([
    ['nothing of that name', 404, {}],
    ['a password wanted', 401, { 'www-authenticate': 'Basic realm="x"' }],
    ['no access', 403, {}],
  ])('with %s says so', async (_, status, headers) => {
    const registry = await makeRegistry((request, response) => {
      if (request.url === '/v2/') return false
      response.writeHead(status, headers).end()
      return true
    })
    await expect(pullFrom(registry)).rejects.toThrow(
      /^The registry (does not have this image|requires a login)/,
    )
  })
})
