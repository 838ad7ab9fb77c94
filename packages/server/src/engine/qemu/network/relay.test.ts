import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { directoryForEach } from '../../../lib/directory.test-kit.ts'
import { connectUnix } from '../../../lib/unix-socket.ts'
import { makeRelay } from './relay.ts'

const files = directoryForEach()
let relay: ReturnType<typeof makeRelay>
beforeEach(() => {
  // Into no other namespace than that of the test.
  relay = makeRelay({ files: files(), entry: () => ['env', '--'] })
})
afterEach(() => relay.close())

async function echo() {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket))
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

it('carries what both sides say, whole, and the end of it', async () => {
  const guest = await echo()
  const line = await relay.connect('127.0.0.1', guest.port)
  const sent = Buffer.alloc(3 * 1024 * 1024, 'slipway')
  const parts: Buffer[] = []
  line.on('data', (part) => parts.push(part))
  line.end(sent)
  await once(line, 'end')
  expect(Buffer.concat(parts).equals(sent)).toBe(true)
})

it('says when no program listens', async () => {
  const guest = await echo()
  guest.close()
  await expect(relay.connect('127.0.0.1', guest.port)).rejects.toMatchObject({
    code: 'unreachable',
    message: 'No program is listening on it.',
  })
})

it('is started anew when it has ended', async () => {
  const guest = await echo()
  const first = await relay.connect('127.0.0.1', guest.port)
  await relay.close()
  await once(first.resume(), 'close')
  const second = await relay.connect('127.0.0.1', guest.port)
  second.write('still there')
  expect(String((await once(second, 'data'))[0])).toBe('still there')
  second.destroy()
})

it('hangs up on who says nothing that it understands', async () => {
  const guest = await echo()
  ;(await relay.connect('127.0.0.1', guest.port)).destroy()
  const stranger = await connectUnix(join(files(), 'relay.sock'))
  stranger.write('x'.repeat(100))
  await once(stranger.resume(), 'close')
})
