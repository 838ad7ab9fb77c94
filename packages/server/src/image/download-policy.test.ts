import { createSocket } from 'node:dgram'
import { lookup as systemLookup } from 'node:dns/promises'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { makeResolve } from '../lib/resolve-host.ts'
import { makeSourcePolicy } from './download-policy.ts'

const strict = makeSourcePolicy([])
const privateNetwork = 'The URL points into a private network'

describe('what may be fetched', () => {
  it.each([
    'http://example.com/a.img',
    'https://example.com:8443/a.img?key=1',
    'http://93.184.216.34/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
  ])('is the public Internet, such as %s', (url) => {
    expect(() => strict.check(new URL(url))).not.toThrow()
  })

  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['all of loopback', 'http://127.255.255.254/'],
    ['loopback as one number', 'http://2130706433/'],
    ['loopback in hexadecimal', 'http://0x7f.1/'],
    ['loopback in octal', 'http://0177.0.0.1/'],
    ['unspecified', 'http://0.0.0.0/'],
    ['"this network"', 'http://0.1.2.3/'],
    ['private A', 'http://10.1.2.3/'],
    ['private B', 'http://172.16.0.1/'],
    ['the end of private B', 'http://172.31.255.255/'],
    ['private C', 'http://192.168.1.1/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['link-local with the metadata of clouds', 'http://169.254.169.254/latest/meta-data/'],
    ['protocol assignments', 'http://192.0.0.170/'],
    ['documentation', 'http://192.0.2.1/'],
    ['benchmarks', 'http://198.18.0.1/'],
    ['multicast', 'http://224.0.0.1/'],
    ['reserved', 'http://240.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['IPv6 loopback', 'http://[::1]/'],
    ['IPv6 unspecified', 'http://[::]/'],
    ['IPv6 link-local', 'http://[fe80::1]/'],
    ['IPv6 unique local', 'http://[fd00::1]/'],
    ['IPv6 multicast', 'http://[ff02::1]/'],
    ['IPv6 documentation', 'http://[2001:db8::1]/'],
    ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped private', 'http://[::ffff:a00:1]/'],
    ['IPv4-compatible', 'http://[::127.0.0.1]/'],
    ['NAT64', 'http://[64:ff9b::7f00:1]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001:0:1::1]/'],
  ])('is not %s (%s)', (_, url) => {
    expect(() => strict.check(new URL(url))).toThrow(privateNetwork)
  })

  it.each([
    ['file:///etc/passwd', 'Only http and https'],
    ['ftp://example.com/a.img', 'Only http and https'],
    ['data:text/plain,a', 'Only http and https'],
    ['http://ada@example.com/', 'user name or a password'],
    ['http://:secret@example.com/', 'user name or a password'],
  ])('is not %s', (url, reason) => {
    expect(() => strict.check(new URL(url))).toThrow(reason)
  })

  it('never goes from https down to http', () => {
    const plain = new URL('http://example.com/')
    const secure = new URL('https://example.com/')
    expect(() => strict.check(plain, secure)).toThrow('Redirect from https to http refused')
    expect(() => strict.check(secure, plain)).not.toThrow()
    expect(() => strict.check(plain, plain)).not.toThrow()
  })

  it('is what the operator lists, by address, range or name', () => {
    const open = makeSourcePolicy(['10.0.0.5', '192.168.0.0/16', 'fd00::/8', 'Images.LAN'])
    for (const host of ['10.0.0.5', '192.168.7.8', '[fd12::1]']) {
      expect(() => open.check(new URL(`http://${host}/`))).not.toThrow()
    }
    for (const host of ['10.0.0.6', '172.16.0.1', '127.0.0.1', '[fe80::1]']) {
      expect(() => open.check(new URL(`http://${host}/`))).toThrow(privateNetwork)
    }
    expect(open.isListed('images.lan')).toBe(true)
    expect(open.isListed('10.0.0.5')).toBe(true)
    expect(open.isListed('example.com')).toBe(false)
  })
})

describe('a name', () => {
  const resolve = (privateSources: string[], all: boolean) =>
    new Promise((done, fail) => {
      makeSourcePolicy(privateSources).lookup('localhost', { all }, (error, found) =>
        error ? fail(error) : done(found),
      )
    })

  it.each([true, false])('of a private address is not connected to (all addresses: %s)', async (all) => {
    await expect(resolve([], all)).rejects.toThrow(privateNetwork)
    await expect(resolve(['10.0.0.0/8', 'other'], all)).rejects.toThrow(privateNetwork)
  })

  it('whose name servers do not answer keeps nobody else waiting, and fails in time', async () => {
    const silent = createSocket('udp4')
    let asked = 0
    silent.on('message', () => asked++).bind(0, '127.0.0.1')
    await once(silent, 'listening')
    try {
      const servers = () => [`127.0.0.1:${silent.address().port}`]
      const { lookup } = makeSourcePolicy([], makeResolve({ servers, withinMs: 500 }))
      let ended = 0
      const failures = Array.from(
        { length: 20 },
        (_, i) =>
          new Promise<NodeJS.ErrnoException | null>((done) =>
            lookup(`disk${i}.example.com`, { all: true }, (error) => {
              ended++
              done(error)
            }),
          ),
      )
      // It takes one of the threads that files and the names of this machine are read by.
      await systemLookup('localhost')
      expect(ended).toBe(0)
      for (const failure of await Promise.all(failures)) expect(failure?.code).toBe('EAI_AGAIN')
      expect(asked).toBeGreaterThanOrEqual(20)
    } finally {
      silent.close()
    }
  })

  it('gives those of its addresses that are allowed', async () => {
    expect(await resolve(['127.0.0.0/8'], true)).toEqual([{ address: '127.0.0.1', family: 4 }])
    expect(await resolve(['127.0.0.0/8'], false)).toBe('127.0.0.1')
    expect(await resolve(['localhost'], true)).toContainEqual({ address: '127.0.0.1', family: 4 })
  })
})
