import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { AnswerTooLong, boundedFetch } from './bounded-fetch.ts'

const server = createServer((request, response) => {
  if (request.url === '/long') return void response.end('x'.repeat(2000))
  if (request.url === '/elsewhere') return void response.writeHead(302, { location: '/' }).end()
  if (request.url === '/slow') return void response.write('beginning')
  if (request.url === '/endless') {
    const write = () => response.destroyed || response.write('x'.repeat(500), () => setImmediate(write))
    return void write()
  }
  response.writeHead(201, { 'x-kind': 'short' }).end('short')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
const ask = boundedFetch({ withinMs: 500, bytes: 1000 })

it('gives what is short enough as it is', async () => {
  const answer = await ask(at('/'), {})
  expect([answer.status, answer.headers.get('x-kind'), await answer.text()]).toEqual([201, 'short', 'short'])
})

it('follows nowhere', async () => expect((await ask(at('/elsewhere'), {})).status).toBe(302))

it.each(['/long', '/endless'])('reads no more of %s than it may', async (path) => {
  await expect(ask(at(path), {})).rejects.toThrow(AnswerTooLong)
})

it('waits for an answer that does not end only so long, and as long as whoever asks does', async () => {
  await expect(ask(at('/slow'), {})).rejects.toThrow(/timeout|aborted/i)
  await expect(ask(at('/slow'), { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/i)
})
