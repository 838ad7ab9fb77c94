import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { accountApi, type CallInput, type CallOutput, type Endpoint, fillPath } from '@slipway/contract'
import type { Server } from '@slipway/e2e/server'

export interface Person {
  cookie: string
  call: <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<CallOutput<E>>
  /** The bytes of an answer, for figures without the cost of reading it. */
  get: (path: string) => Promise<number>
}

/** A signed-in user of a server, over one kept connection. */
export async function newPerson(server: Server): Promise<Person> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let cookie = ''

  function send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; text: string; setCookie: string }> {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, server.url), {
        method,
        agent,
        headers: {
          cookie,
          ...(payload && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
        },
      })
      sent.on('error', reject)
      sent.on('response', (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(parts).toString(),
            setCookie: answer.headers['set-cookie']?.[0] ?? '',
          }),
        )
      })
      sent.end(payload)
    })
  }

  const call: Person['call'] = async (endpoint, input) => {
    const { params, body } = input as { params?: Record<string, string>; body?: unknown }
    const answer = await send(endpoint.method, fillPath(endpoint.path, params), body)
    if (answer.status !== endpoint.status)
      throw new Error(`${endpoint.id} answered ${answer.status}: ${answer.text}`)
    if (answer.setCookie) cookie = answer.setCookie.split(';')[0] ?? ''
    // The server has put the answer through this endpoint's schema.
    return (endpoint.response ? JSON.parse(answer.text) : undefined) as CallOutput<typeof endpoint>
  }

  const email = `bench-${randomUUID()}@example.com`
  const password = 'Analytical-Engine-1843'
  await call(accountApi.signUp, { body: { name: 'Bench', email, password } })
  const link = await server.mailedLink(email, 'verify-email')
  await call(accountApi.verifyEmail, { body: { token: link.split('token=')[1] ?? '' } })
  await call(accountApi.signIn, { body: { email, password } })
  return {
    get cookie() {
      return cookie
    },
    call,
    async get(path) {
      const { status, text } = await send('GET', path)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      return text.length
    },
  }
}
