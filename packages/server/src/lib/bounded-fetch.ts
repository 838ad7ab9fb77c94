/** An answer has more bytes than are read of it. */
export class AnswerTooLong extends Error {}

/** As libraries call `fetch` that take one in its place; they may hand in undefined for what is not there. */
interface Init {
  method?: string | undefined
  body?: RequestInit['body'] | undefined
  headers?: RequestInit['headers'] | undefined
  signal?: AbortSignal | undefined
}

/**
 * `fetch` that reads an answer only up to a size, waits for all of it only so long, and follows nowhere. Throws
 * {@link AnswerTooLong}, and otherwise what `fetch` throws.
 */
export function boundedFetch(limits: { withinMs: number; bytes: number }) {
  return async (
    url: string,
    { method = 'GET', body = null, headers = {}, signal }: Init,
  ): Promise<Response> => {
    const deadline = AbortSignal.timeout(limits.withinMs)
    const response = await fetch(url, {
      method,
      body,
      headers,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    if (response.body === null) return response
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body) {
      size += part.byteLength
      if (size > limits.bytes) throw new AnswerTooLong(`The answer has more than ${limits.bytes} bytes`)
      parts.push(part)
    }
    return new Response(Buffer.concat(parts), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}
