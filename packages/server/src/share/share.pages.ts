/** The pages that stand where a shared port cannot be shown, for browsers; a sentence for everything else. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export interface Page {
  status: 400 | 401 | 403 | 404 | 429 | 501 | 502 | 503 | 504
  title: string
  /** Whole sentences. */
  text: string
  /** Where to go on. */
  link?: { href: string; label: string }
}

export const pages = {
  gone: {
    status: 404,
    title: 'Nothing is shared here',
    text: 'This port is no longer shared. Ask its owner for a new address.',
  },
  signIn: {
    status: 401,
    title: 'Sign in to open this page',
    text: 'This port is shared with people of its project. Sign in to the console, then open this address again.',
  },
  signInHere: {
    status: 401,
    title: 'Sign in to open this page',
    text: 'This port is shared with people of its project. It opens as soon as you are signed in.',
  },
  notYours: {
    status: 403,
    title: 'This page is not shared with you',
    text: 'This port is shared with people of its project. Ask its owner for a link.',
  },
  noLink: {
    status: 403,
    title: 'This page needs its link',
    text: 'This port is shared with everyone who has its link. Ask its owner for the whole link.',
  },
  oldCode: {
    status: 403,
    title: 'This way in has expired',
    text: 'It works once, and for a minute. Open the address again.',
  },
  crowded: {
    status: 429,
    title: 'Too many requests',
    text: 'Too many requests came from your address. Try again in a minute.',
  },
  full: {
    status: 503,
    title: 'Too many visitors',
    text: 'The server has no free connection for shared ports. Try again in a minute.',
  },
  slow: {
    status: 504,
    title: 'The VM did not respond',
    text: 'The program in the VM did not respond in time. Try again.',
  },
  broken: {
    status: 502,
    title: 'The VM did not respond properly',
    text: 'The program in the VM ended the connection, or did not respond with HTTP.',
  },
  noUpgrade: {
    status: 501,
    title: 'Not supported',
    text: 'Shared ports support WebSocket connections, and no other upgrade.',
  },
  noServiceWorker: {
    status: 403,
    title: 'Service workers are not supported',
    text: 'A service worker would outlive this shared port, at an address that others may get.',
  },
} satisfies Record<string, Page>

export const stopped = (vmName: string): Page => ({
  status: 503,
  title: `VM ${vmName} is not running`,
  text: 'This page is served by a VM that is not running now. Its owner can start it in the console.',
})

export const refused = (vmName: string, port: number, reason: string): Page => ({
  status: 502,
  title: `Nothing responds on port ${port}`,
  text: `VM ${vmName} is running, but its port ${port} could not be reached. ${reason}`,
})

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Whether somebody reads the answer as a page. */
export const wantsPage = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.upgrade === undefined &&
  (headers['sec-fetch-mode'] === undefined || headers['sec-fetch-mode'] === 'navigate') &&
  /\btext\/html\b/.test(headers.accept ?? '')

/** Whether a page is opened by itself, not within another one: it may lead elsewhere. */
export const isVisit = (request: IncomingMessage): boolean =>
  wantsPage(request) &&
  ['document', undefined].includes(request.headers['sec-fetch-dest'] as string | undefined)

function contentOf(page: Page, request: IncomingMessage): { type: string; body: string } {
  if (!wantsPage(request)) return { type: 'text/plain', body: `${page.title}. ${page.text}\n` }
  const link = page.link ? `<p><a href="${escaped(page.link.href)}">${escaped(page.link.label)}</a></p>` : ''
  return {
    type: 'text/html',
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem }
h1 { font-size: 1.375rem }
</style></head>
<body><main><h1>${escaped(page.title)}</h1><p>${escaped(page.text)}</p>${link}</main></body>
</html>
`,
  }
}

/** What is never kept or shown elsewhere, on all answers of our own. */
const ownHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const headersOf = (page: Page, type: string, body: string) => ({
  ...ownHeaders,
  'content-type': `${type}; charset=utf-8`,
  'content-length': String(Buffer.byteLength(body)),
  ...(page.status === 503 || page.status === 429 ? { 'retry-after': '30' } : {}),
})

export function showPage(page: Page, request: IncomingMessage, response: ServerResponse): void {
  const { type, body } = contentOf(page, request)
  // What is left of a body is not read: the connection ends instead.
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(page.status, headersOf(page, type, body))
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** For a request that wanted to become a WebSocket. */
export function refuseUpgrade(page: Page, request: IncomingMessage, socket: Duplex): void {
  const { type, body } = contentOf(page, request)
  const head = Object.entries(headersOf(page, type, body)).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${page.status} ${page.title}`, ...head, 'connection: close', '', body].join('\r\n'))
}

export function leadTo(location: string, response: ServerResponse, cookie?: string): void {
  if (cookie !== undefined) response.setHeader('set-cookie', cookie)
  response.writeHead(303, { ...ownHeaders, location, 'content-length': '0' })
  response.end()
}
