/** Names, addresses, headers and passes of shared ports. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddressOf, makeAddressList } from '../lib/client-address.ts'
import { addressOf, consoleOf, labelIn, labelOf, originOf, portsFrom } from './share.address.ts'
import { requestHeaders, responseHeaders } from './share.headers.ts'
import { cookieName, passCookie, passesIn } from './share.passes.ts'
import type { ShareRecord, ShareWays } from './share.state.ts'

const share: ShareRecord = {
  id: '0190a7c2-0000-7000-8000-000000000001',
  projectId: 'p',
  vmId: 'v',
  vmName: 'web',
  port: 3000,
  kind: 'http',
  audience: 'project',
  hostPort: 8101,
  label: 'web-shop-3000',
  secret: 'S',
  cookieKey: 'K',
  expiresAt: null,
  visits: 0,
  lastVisitAt: null,
  createdAt: '',
}
const ports: ShareWays = {
  domain: null,
  httpPorts: { first: 8100, last: 8199 },
  tcpPorts: { first: 9000, last: 9009 },
}
const names: ShareWays = { domain: 'apps.test', httpPorts: null, tcpPorts: null }
const at = (publicUrl: string | null) => ({
  publicUrl: publicUrl ? new URL(publicUrl) : null,
  ownUrl: 'http://127.0.0.1:8080',
})

describe('a label', () => {
  it('is one of the DNS, with the port in it, whatever VM and project are called', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.integer({ min: 1, max: 65_535 }),
        fc.option(fc.stringMatching(/^[0-9a-f]{6}$/)),
        (vm, project, port, suffix) => {
          const label = labelOf({ vm, project, port }, suffix)
          expect(label).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
          expect(label.length).toBeLessThanOrEqual(63)
          expect(label.endsWith(suffix ? `-${port}-${suffix}` : `-${port}`)).toBe(true)
          expect(labelIn(`${label}.apps.test:443`, 'apps.test')).toBe(label)
        },
      ),
    )
  })

  it('is found in hosts directly below the domain alone', () => {
    for (const [host, label] of [
      ['a.apps.test', 'a'],
      ['A.Apps.Test.:8080', 'a'],
      ['a.b.apps.test', ''],
      ['a_b.apps.test', ''],
      ['apps.test', null],
      ['xapps.test', null],
      ['a.apps.test.evil', null],
      [undefined, null],
    ] as const)
      expect(labelIn(host, 'apps.test'), host).toBe(label)
  })
})

describe('an address', () => {
  const link = { ...share, audience: 'link' } as const
  const tcp = { ...share, kind: 'tcp', audience: 'everybody', hostPort: 9000 } as const
  for (const [what, one, ways, publicUrl, address] of [
    ['a port, no public URL', share, ports, null, ':8101/'],
    ['a port', share, ports, 'https://console.test', 'https://console.test:8101/'],
    ['a port, IPv6', share, ports, 'http://[::1]:8080', 'http://[::1]:8101/'],
    ['a link', link, ports, null, ':8101/?slipway=S'],
    ['a name', share, names, 'https://console.test', 'https://web-shop-3000.apps.test/'],
    [
      'a name at a port',
      link,
      names,
      'http://console.test:8080',
      'http://web-shop-3000.apps.test:8080/?slipway=S',
    ],
    ['TCP, no public URL', tcp, ports, null, ':9000'],
    ['TCP', tcp, ports, 'https://console.test', 'console.test:9000'],
    ['TCP that is off', tcp, names, 'https://console.test', ''],
    ['a port out of range', { ...share, hostPort: 7000 }, ports, 'https://console.test', ''],
    ['no port yet', { ...share, hostPort: null }, ports, 'https://console.test', ''],
  ] as const)
    it(`of ${what}`, () => expect(addressOf(one, ways, at(publicUrl))).toBe(address))

  it('of share and console are by the same host for who came without a public URL', () => {
    expect(originOf(share, ports, at(null), '192.0.2.7:8080')).toBe('http://192.0.2.7:8101')
    expect(originOf(share, ports, at(null), '[::1]:8080')).toBe('http://[::1]:8101')
    expect(originOf(tcp, ports, at(null), 'x')).toBeNull()
    expect(consoleOf(at(null), '192.0.2.7:8101')).toBe('http://192.0.2.7:8080')
    expect(consoleOf(at(null), undefined)).toBe('http://127.0.0.1:8080')
    expect(consoleOf(at('https://console.test/'), 'x')).toBe('https://console.test')
  })
})

it('ports are given out in turn, so that one is used again as late as possible', () => {
  const range = { first: 5, last: 8 }
  expect(portsFrom(range, null)).toEqual([5, 6, 7, 8])
  expect(portsFrom(range, 6)).toEqual([7, 8, 5, 6])
  expect(portsFrom(range, 8)).toEqual([5, 6, 7, 8])
  expect(portsFrom({ first: 9, last: 9 }, 9)).toEqual([9])
})

describe('passes', () => {
  const session = { sessionId: 'a'.repeat(64) }
  const given = (pass: typeof session | 'link', isSecure = false) =>
    passCookie(share, pass, isSecure).split(';')[0] ?? ''

  it('are read among other cookies, also behind a forged one of the same name', () => {
    for (const pass of [session, 'link'] as const) {
      const header = `a=1; ${cookieName(share, false)}=link.${'x'.repeat(43)}; ${given(pass)}; b=2`
      expect(passesIn(header, share, false)).toEqual([pass])
    }
    expect(passesIn(undefined, share, false)).toEqual([])
  })

  it('are of one share and one key', () => {
    const other = { ...share, id: '0190a7c2-0000-7000-8000-000000000002' }
    const value = given('link').split('=')[1]
    expect(passesIn(`${cookieName(other, false)}=${value}`, other, false)).toEqual([])
    expect(passesIn(given('link'), { ...share, cookieKey: 'L' }, false)).toEqual([])
    const forged = given(session).replace('aaaa', 'aaab')
    expect(passesIn(forged, share, false)).toEqual([])
  })

  it('are for their own host only over https, and no script reads them', () => {
    expect(passCookie(share, 'link', true)).toMatch(
      /^__Host-slipway_share_\w+=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(passCookie(share, 'link', false)).not.toContain('Secure')
  })
})

describe('headers', () => {
  const forwarded = { for: '192.0.2.1', proto: 'https', host: 'a.test' } as const
  const names = (raw: readonly string[]) =>
    raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  const ofConsole = [
    'slipway_session=x',
    ' SLIPWAY_SESSION=x',
    '__Host-slipway_share_1=x',
    '__Secure-slipway=x',
    '__Http-slipway=x',
    'slipway=x',
    '=slipway_session=x',
    'nameless',
  ]

  it('of a request lose what is ours or of one connection, whatever Connection says', () => {
    const raw = [
      ...['Host', 'a.test', 'Cookie', ofConsole.slice(0, 6).join('; '), 'Content-Length', '3'],
      ...['Connection', 'host, content-length, X-Mine, close', 'X-Mine', '1', 'Proxy-Authorization', 'x'],
      ...['X-Forwarded-For', '1.2.3.4', 'X-Real-IP', '1.2.3.4'],
      ...['Expect', '100-continue', 'Authorization', 'Basic x'],
    ]
    expect(names(requestHeaders(raw, forwarded))).toEqual([
      'host',
      'content-length',
      'authorization',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
    ])
  })

  it('of an answer set no cookie of the console, however it is written, and none for more than the host', () => {
    for (const cookie of ofConsole) expect(responseHeaders(['Set-Cookie', `${cookie}; Path=/`])).toEqual([])
    for (const domain of ['Domain=a.test', ' domain = .test ', 'DOMAIN', 'Domain='])
      expect(responseHeaders(['set-cookie', `own=1; ${domain}; HttpOnly`])).toEqual([
        'set-cookie',
        'own=1; HttpOnly',
      ])
    expect(responseHeaders(['Set-Cookie', 'myslipway=1'])).toEqual(['Set-Cookie', 'myslipway=1'])
  })

  it('of an answer that reach beyond the origin of the guest are lost, as are those of one connection', () => {
    const lost = [
      ...['Strict-Transport-Security', 'Clear-Site-Data', 'Alt-Svc', 'NEL', 'Service-Worker-Allowed'],
      ...['Keep-Alive', 'X-Hop'],
    ].flatMap((name) => [name, 'x'])
    expect(responseHeaders([...lost, 'Connection', 'close, X-Hop', 'X-Own', 'kept'])).toEqual([
      'X-Own',
      'kept',
    ])
  })

  it('of an answer that say how it is cached or shown are left alone', () => {
    const raw = ['ETag', '"x"', 'Cache-Control', 'no-cache', 'Location', '/b', 'WWW-Authenticate', 'Basic']
    expect(responseHeaders(raw)).toEqual(raw)
  })
})

describe('the address of a client', () => {
  const isTrusted = makeAddressList(['10.0.0.0/8', 'loopback'])
  for (const [what, from, said, address] of [
    ['is that of its connection', '203.0.113.1', '1.2.3.4', '203.0.113.1'],
    ['is what a trusted proxy says', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['is the last that no trusted proxy has', '127.0.0.1', '1.2.3.4, 203.0.113.1, 10.0.0.2', '203.0.113.1'],
    ['is that of the proxy when it says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['is that of the proxy when it says nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
  ] as const)
    it(what, () => expect(clientAddressOf(from, said, isTrusted)).toBe(address))
})
