/**
 * What of a request reaches a guest, and what of its answer reaches a browser. A guest may be hostile, and without a
 * domain of their own its pages stand on another port of the console's host: browsers keep cookies, HSTS and the like by
 * host, whatever the port. So nothing passes that holds for more than the origin of the share.
 */

/** For one connection only (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Said by us and by nobody else. The continue of `Expect` was given by us. */
const ours = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'expect',
])

const tooFarReaching = new Set([
  // Holds for all ports of the host: a console over http could not be reached any more.
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  // Ends cookies of all ports of the host, the session of the console among them.
  'clear-site-data',
  // Sends later requests elsewhere, also those for a share that gets this address after it.
  'alt-svc',
  // Reports what people do at this address, also when it is another share's.
  'nel',
  'report-to',
  // A service worker outlives the share, at an address that others may get.
  'service-worker-allowed',
])

/** Cookies of the console and of shares begin so, whatever prefix they have and however it is written. */
const isOurs = (cookie: string): boolean => /^(__(host|secure|http|host-http)-)?slipway/i.test(cookie.trim())

/** A list of headers as Node has them: names and values in turn. */
type RawHeaders = readonly string[]

export interface Forwarded {
  /** The address that the client has. */
  for: string
  proto: 'http' | 'https'
  host: string
}

/** The headers of a request as the guest gets them; `connection` and body are seen to by the caller. */
export function requestHeaders(raw: RawHeaders, forwarded: Forwarded): string[] {
  const named = namedByConnection(raw)
  const kept: string[] = []
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase()
    if (hopByHop.has(lower) || named.has(lower) || ours.has(lower)) continue
    const rest = lower === 'cookie' ? withoutOurs(value) : value
    if (rest !== null) kept.push(name, rest)
  }
  return [
    ...kept,
    ...['X-Forwarded-For', forwarded.for],
    ...['X-Forwarded-Proto', forwarded.proto],
    ...['X-Forwarded-Host', forwarded.host],
  ]
}

/** The headers of an answer as the browser gets them. */
export function responseHeaders(raw: RawHeaders): string[] {
  const named = namedByConnection(raw)
  const kept: string[] = []
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase()
    if (hopByHop.has(lower) || named.has(lower) || tooFarReaching.has(lower)) continue
    const rest = lower === 'set-cookie' ? tamed(value) : value
    if (rest !== null) kept.push(name, rest)
  }
  return kept
}

/** What `Connection` names is for one connection too; never what the request is about. */
function namedByConnection(raw: RawHeaders): Set<string> {
  const named = new Set<string>()
  for (const [name, value] of pairsOf(raw))
    if (name.toLowerCase() === 'connection')
      for (const one of value.split(',')) named.add(one.trim().toLowerCase())
  for (const needed of ['host', 'cookie', 'content-length']) named.delete(needed)
  return named
}

/** The cookies of the guest among those of a request; null when there are none. */
function withoutOurs(header: string): string | null {
  const rest = header.split(';').filter((one) => one.trim() !== '' && !isOurs(one))
  return rest.length > 0 ? rest.map((one) => one.trim()).join('; ') : null
}

/** A cookie that a guest sets, for its own host only; null for one that it may not set. */
function tamed(cookie: string): string | null {
  const [pair = '', ...attributes] = cookie.split(';')
  // Without a name the value is one: a browser sends `=slipway_session=x` back as `slipway_session=x`.
  if (isOurs(pair) || /^\s*=/.test(pair) || !pair.includes('=')) return null
  return [pair, ...attributes.filter((one) => !/^\s*domain\s*(=|$)/i.test(one))].join(';')
}

function* pairsOf(raw: RawHeaders): Generator<[string, string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) yield [raw[i] ?? '', raw[i + 1] ?? '']
}
