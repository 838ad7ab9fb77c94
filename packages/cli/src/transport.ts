import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Transport } from '@slipway/client'

/** What becomes of a response's bytes: all of them as text, or as they come. */
const answerOf = (response: IncomingMessage) => {
  const status = response.statusCode ?? 0
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => response.headers[name.toLowerCase()]?.toString() ?? null },
    body: response,
    async text() {
      const pieces: Buffer[] = []
      for await (const piece of response) pieces.push(piece)
      return Buffer.concat(pieces).toString()
    },
  }
}

/**
 * Sends requests with `node:http`: loading `fetch` takes longer than most commands. An `import` of that module would load `fetch` all the
 * same, as it reads everything that the module exports. Redirects are not followed.
 */
export const transport: Transport = async (url, { method, headers, body, signal }) => {
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const options: RequestOptions = { method, headers, agent: false, ...(signal && { signal }) }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(url, options, resolve)
  sent.on('error', reject)
  if (body !== undefined)
    sent.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : body.length)
  sent.end(body)
  return answerOf(await promise)
}
