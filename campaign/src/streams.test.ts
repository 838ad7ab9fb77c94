import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectApi } from '@slipway/contract'
import { expect, it } from 'vitest'
import type { Client } from './client.ts'
import type { Host } from './host.ts'
import { accountTopic, listen } from './streams.ts'

it('a listener that was never told of an end says how it knows of the object and how it went on', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const after = request.headers['last-event-id']
    asked.push(after === undefined ? after : String(after))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const data = JSON.stringify({ replayed: after !== undefined, revision: `e-${asked.length}` })
    response.write(`event: hello\ndata: ${data}\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client: Client = {
    async send({ path }) {
      const text = path === projectApi.list.path ? '[{"id":"p","name":"p"}]' : '[]'
      return { status: 200, text, headers: {}, took: 1 }
    },
    cookie: '',
    from: '',
    close: () => {},
  }
  const person = { name: 'ada', email: '', client, signIn: async () => true, askToSignIn: async () => null }
  // Nothing else is asked of it.
  const host = { up: true, url: `http://127.0.0.1:${port}` } as Host
  const listener = listen(host, { person, user: 1, topic: accountTopic(1) }, () => {})
  const notes = () => listener.differences([]).flatMap((one) => one.notes ?? [])
  try {
    while (notes().length === 0) await sleep(5)
    listener.cut()
    while (listener.replays === 0) await sleep(5)
    expect(asked).toEqual([undefined, 'e-1'])
    expect(listener.differences([]).map(({ message }) => message)).toEqual([
      'The event stream of user 1 never ended project p',
    ])
    expect(notes().map((note) => note.replace(/[\d:.]{12}/, 'T'))).toEqual([
      'the listener heard of it in the lists at T; its past:',
      'T begins anew at e-1 (had null)',
      'T has its lists, and 0 events that came meanwhile',
      'T its connection ended, cut by the campaign',
      'T goes on at e-2 after e-1',
    ])
  } finally {
    await listener.end()
    server.closeAllConnections()
    server.close()
  }
})
