import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Host, noLimits } from '@slipway/contract'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { frameworkErrors, installErrorHandler } from './errors.ts'
import { installStatic } from './static.ts'

const host: Host = {
  product_name: 'Smith & "Sons" </head><script>alert(1)</script>',
  engine: 'simulated',
  accelerator: null,
  accelerator_reason: null,
  network: 'None',
  cannot: noLimits,
  addresses: 'this-host',
  sharing: { http: null, tcp: null },
  ssh_gateway: null,
  sign_up: { policy: 'open', domains: [] },
  oidc_providers: [],
  passkey_origin: null,
  bin_days: 7,
  notice: null,
  built_in_templates: [],
  start_time: { median_seconds: 0.9, starts: 50 },
  contacts: { support: 's@example.org', legal: 'l@example.org', privacy: 'p@example.org' },
}
const index = '<!doctype html><html><head><title>Slipway</title></head><body></body></html>'

let root: string
let app: FastifyInstance

async function serve(webRoot: string | null) {
  app = fastify({ frameworkErrors })
  installErrorHandler(app)
  await installStatic(app, webRoot, host)
}

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'static-'))
  await writeFile(path.join(root, 'index.html'), index)
  await writeFile(path.join(root, 'boot.js'), 'boot()')
  await mkdir(path.join(root, 'assets'))
  await writeFile(path.join(root, 'assets', 'page-1a2b.js'), 'page()')
})

afterEach(async () => {
  await app.close()
  await rm(root, { recursive: true })
})

/** What a browser makes of the attribute. */
const attributeOf = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')

describe('the front end', () => {
  it('is one page for every address that is no file, and the page knows its host', async () => {
    await serve(root)
    for (const url of ['/', '/projects/p/vms?search=a.b', '/signin', '/assets', '/assets/']) {
      const { statusCode, headers, body } = await app.inject(url)
      expect(statusCode).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['cache-control']).toBe('no-cache')
      const [, content = ''] = body.match(/<meta name="slipway-host" content="([^"]*)" \/>/) ?? []
      expect(JSON.parse(attributeOf(content))).toEqual(host)
      expect(body).not.toContain('<script>')
    }
  })

  it('is read anew after a build', async () => {
    await serve(root)
    await app.inject('/')
    await writeFile(path.join(root, 'index.html'), index.replace('Slipway', 'Slipway 2'))
    expect((await app.inject('/')).body).toContain('<title>Slipway 2</title>')
  })

  it('delivers files as they are, and nothing in the place of one that is missing', async () => {
    await serve(root)
    const boot = await app.inject('/boot.js')
    expect([boot.body, boot.headers['cache-control']]).toEqual(['boot()', 'no-cache'])
    const page = await app.inject('/assets/page-1a2b.js')
    expect([page.body, page.headers['cache-control']]).toEqual([
      'page()',
      'public, max-age=31536000, immutable',
    ])
    expect((await app.inject('/assets/gone-1234.js')).statusCode).toBe(404)
  })

  it.each(['/api/unknown', '/api/unknown/page'])('leaves %s to the API', async (url) => {
    await serve(root)
    const { statusCode, body } = await app.inject(url)
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toEqual({ message: 'Not found' })
  })

  it.each([
    ['/../x', 404],
    ['/../../../etc/passwd', 404],
    ['//x', 404],
    ['//x.js', 404],
    ['/%2e%2e/x.js', 404],
    ['/assets/%00.js', 404],
    ['/assets/%00', 404],
    ['/%5c..%5cx.js', 404],
    ['/8000*a', 404],
    ['/8000*a.js', 404],
    ['/assets/300*a.js', 404],
    ['/%', 400],
    ['/%zz.js', 400],
  ])('answers %s with %i in the shape of every error, also where files are', async (url, status) => {
    await serve(root)
    const target = url.replace(/(\d+)\*a/, (_, times: string) => 'a'.repeat(Number(times)))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    // As it is: URL and fetch would tidy the path up.
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      get({ port, path: target, headers: { connection: 'close' } }, (response) => {
        let body = ''
        response.on('data', (bytes: Buffer) => {
          body += bytes.toString()
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      }).on('error', reject)
    })
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      status,
      { message: expect.stringMatching(/^[A-Z]/) },
    ])
  })

  it('is missing when it was not built', async () => {
    await serve(null)
    expect((await app.inject('/')).statusCode).toBe(404)
  })
})
